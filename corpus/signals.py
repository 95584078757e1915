"""Signals for apps above this one."""

from django.dispatch import Signal

document_merged = Signal()
"""The versions of `document` were moved to `into`; `document` is deleted next, in the same transaction.

Arguments: `document`, `into`, and `after`: version n of `document` is now version n + after of `into`.
"""
