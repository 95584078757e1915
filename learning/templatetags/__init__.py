"""Filters for the pages of study plans."""
