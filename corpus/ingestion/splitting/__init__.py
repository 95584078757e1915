"""Cuts text at good places: blocks of Markdown, sentences, packing into pieces. Pure. Ingestion and reading import
it."""
