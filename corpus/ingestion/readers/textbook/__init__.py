"""Textbooks: ZIP archives of Markdown files in reading order.

Only readers import it.
"""
