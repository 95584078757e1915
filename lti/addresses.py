"""The addresses that are typed into a platform."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse

from lti.models import Platform

NAMES = {
    "Tool URL": "launch",
    "Initiate login URL": "login",
    "Redirection URIs": "launch",
    "Public keyset URL": "keys",
    "Content selection URL (deep linking)": "launch-to-choose",
}
"""As Moodle calls them."""


def list_addresses(request: HttpRequest, platform: Platform) -> dict[str, str]:
    """Each with the name that Moodle has for it."""
    made = ((name, reverse(f"lti:{route}", args=[platform.pk])) for name, route in NAMES.items())
    return {name: request.build_absolute_uri(path) for name, path in made}
