"""Untrusted files are parsed in processes without rights: start, limits, refused system calls.

Only ingestion imports it.
"""
