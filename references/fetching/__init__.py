"""Fetch a web page without ever connecting to an address that is not allowed. Knows no rows of ours."""
