"""Markers [n] in an answer, the claims they stand for, and whether the passage says it.

Answering, pages and exports import it; it imports models only.
"""
