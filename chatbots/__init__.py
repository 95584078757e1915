"""Chatbots, conversations and answers with checked citations.

Only demo and config import it.
"""
