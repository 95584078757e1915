"""What rooms above this one may hear of documents; they point down here, and nothing here knows them."""

from django.dispatch import Signal

document_merged = Signal()
"""All versions of one document have gone into another; the first is about to be deleted, in the same transaction.

Arguments: `document`, `into`, and `after`: what was version n of the one is version n + after of the other.
"""
