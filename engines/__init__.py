"""The two neural models, embedder and language model, and the answerer that only quotes, behind small protocols.

Imports `text` only. The API, corpus, chatbots and commands may import it.
"""
