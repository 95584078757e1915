"""Test questions of chatbots: what a search should find, and runs that show whether it does.

A plug-in: no app of the core imports it.
"""
