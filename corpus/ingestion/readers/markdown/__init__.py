"""Markdown files and the chapters of textbooks. Only the other readers import it."""
