"""An API for programs made for OpenAI's chat completions.

A plug-in: no app of the core imports it.
"""
