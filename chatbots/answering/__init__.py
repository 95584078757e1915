"""How a question becomes an answer: retrieval, prompt, generation, citation check.

Streaming and the API import it; pipeline.py is the story.
"""
