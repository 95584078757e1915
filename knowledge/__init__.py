"""A teacher's personal documents.

Only chatbots, demo and config import it.
"""
