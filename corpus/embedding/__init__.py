"""The active embedding model, the text that is embedded, and the move to another model.

Ingestion, tasks, commands, chatbots and config import it; of corpus it only imports models and advisory_lock.
"""
