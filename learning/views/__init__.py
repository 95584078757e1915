"""Pages of study plans."""
