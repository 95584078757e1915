"""Pages of an account, and those on which a school keeps its people."""
