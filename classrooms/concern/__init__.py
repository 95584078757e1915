"""Rules that say which sentences of pupils an adult should look at, and why. Pure Python, without Django.

`rules` reads the text that a school edits, `checking` applies it. Imports nothing else of ours.
"""
