"""Answers without a language model: the sentences of the sources that answer a question best, quoted word for word.

Imports `engines.embedding`, `engines.llm` and `text`. Corpus and chatbots may import it.
"""
