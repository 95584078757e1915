"""Markdown files and the chapters of textbooks.

Only readers import it.
"""
