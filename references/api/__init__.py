"""REST API of sources beyond the school."""
