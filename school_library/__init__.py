"""The documents of a school, changed by its admins.

Only chatbots, demo and config import it.
"""
