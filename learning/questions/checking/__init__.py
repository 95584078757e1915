"""Check questions, whoever made them. Imports `text`."""
