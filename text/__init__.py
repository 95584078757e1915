"""Text as the product reads it: languages, words, sentences, tables, tokens. Pure Python, without Django.

Imports no other package of ours. Every package may import it.
"""
