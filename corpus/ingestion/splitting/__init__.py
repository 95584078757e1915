"""Sections to pieces that fit the embedder. Pure.

Only ingestion and reading import it.
"""
