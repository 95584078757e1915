"""Web pages, as files and in e-books.

Only the other readers import it.
"""
