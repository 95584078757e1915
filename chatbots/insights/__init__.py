"""Unanswered questions, topics and usage figures.

Views and the API import it.
"""
