"""The database backend: Django's for PostgreSQL, with a pool that checks a connection only after some idle time."""
