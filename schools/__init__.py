"""Schools (the tenants), people, roles and access tokens, and the querysets that keep schools apart.

A leaf: it imports only `plugins` and `text`. Every app with rows of a school imports it.
"""
