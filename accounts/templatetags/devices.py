"""A device in plain words, by its user agent."""

from __future__ import annotations

from django import template

from accounts import devices

register = template.Library()
register.filter("in_words", devices.describe_device)
