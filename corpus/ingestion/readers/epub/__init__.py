"""E-books: the package, and its chapters as sections. `parsing` calls `reader.read`."""
