"""Processes without rights that parse untrusted files: start, limits, refused system calls (ADR 9).

Only ingestion and `corpus.tasks` import it.
"""
