"""REST API of study plans."""
