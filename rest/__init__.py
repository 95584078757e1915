"""The base of the REST API: views, authentication, limits, errors, schema. It has no resource of its own.

It imports `accounts` and `schools`. The apps with an API and `config` import it.
"""
