"""One reader for each file format: bytes to sections. Pure; runs inside the sandbox.

Ingestion imports it; forms and reading only use its media types and names.
"""
