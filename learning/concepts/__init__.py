"""Find concepts, their definitions and prerequisites in passages, by rules (`finding`).

Pure: imports text, corpus.passages, engines, chatbots.citations and the sanitising of prompts; no models, no settings.
"""
