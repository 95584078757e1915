"""Asking, listing, deleting, exporting and rating.

Views and the API import it.
"""
