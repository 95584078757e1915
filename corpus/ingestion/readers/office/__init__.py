"""Word, PowerPoint and Excel files.

Only readers import it.
"""
