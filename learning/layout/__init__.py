"""The picture of a concept graph: rows of concepts from what comes first to what comes last, and lines between them.

Pure functions of names and numbers; `learning.views` and templates draw them. Imports nothing of Lectern."""
