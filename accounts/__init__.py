"""Accounts: sign-in, invitations, single sign-on, second factors, browsers, by django-allauth's public API (ADR 39).

Own is what a school decides: who may enter, by which address, and who must have a second factor. It imports
`schools` only; `rest`, `lti`, `privacy` and `config` import it.
"""
