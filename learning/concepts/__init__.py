"""Find concepts, their definitions and prerequisites in passages, by rules, and terms to suggest.

Pure: imports text, corpus.passages, engines, chatbots.citations and the sanitising of prompts; no models, no settings.
"""
