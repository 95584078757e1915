"""Test questions: what a search should find, and runs that show whether it does.

Only views import it.
"""
