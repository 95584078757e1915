"""Which embedding model is active, and the move to another one.

Ingestion, chatbots and commands import it.
"""
