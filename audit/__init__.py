"""The audit log as admins read it: page, file and API route. It is recorded by `schools.audit`.

Nobody imports it.
"""
