"""Answers without a language model: the sentences of the sources that answer a question best, quoted word for word.

Pure: imports `chatbots.passages`, `engines` and `text`. Behind the protocol `engines.llm.LLM`, as a language model is.
"""
