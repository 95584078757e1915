"""Pages of sources beyond the school, for its admins."""
