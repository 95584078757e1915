"""The device of an entry."""

from __future__ import annotations

from django import template

from accounts import devices

register = template.Library()
register.filter("in_words", devices.in_words)
