"""The school's documents, kept by its admins.

Only chatbots, demo and config import it.
"""
