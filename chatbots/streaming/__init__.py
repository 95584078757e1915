"""Answers while they are written: jobs, ticker, pub/sub and server-sent events.

Views and the API import it.
"""
