"""Sources beyond the school: approved pages, offline Wikipedia (ZIM files), live Wikipedia and Wikibooks.

Imports corpus, engines, rest, schools and text; only chatbots (and learning) import it.
"""
