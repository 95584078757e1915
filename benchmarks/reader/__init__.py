"""Trains the packaged reader of `engines.reader` and measures what reading is worth."""
