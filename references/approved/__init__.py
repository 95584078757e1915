"""Approved pages: topics with keywords, the first passage of each page, and their cache (A1 to A4)."""
