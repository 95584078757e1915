"""The reader: a small model that says whether a text answers a question, and where in it the answer stands.

Imports `engines.embedding` and `text` only. Corpus and chatbots may import it.
"""
