"""Processes without rights that parse untrusted files: start, limits, refused system calls (ADR 9). Ingestion and
`corpus.tasks` import it."""
