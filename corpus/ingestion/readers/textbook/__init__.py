"""Textbooks: ZIP archives of Markdown files in reading order, and the numbers of headings.

The other readers, uploads and web forms (`textbook_bundle`) import it.
"""
