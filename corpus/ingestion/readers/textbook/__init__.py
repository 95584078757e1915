"""Textbooks: ZIP archives of Markdown files in reading order. Only parsing and `ingestion.textbook_bundle` import
it."""
