"""Personal documents of teachers.

Only chatbots, demo and config import it.
"""
