"""Web pages, as files and inside e-books.

Only readers import it.
"""
