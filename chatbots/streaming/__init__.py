"""Answers while they are written: jobs, heartbeat, pub/sub and server-sent events.

Views and the API import it.
"""
