"""Ask a language model for questions. Imports `rules`, `checking` and `text`."""
