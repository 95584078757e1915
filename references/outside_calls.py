"""Whether anything outside may be called for a school."""

from __future__ import annotations

from django.conf import settings

from references.models import ReferenceSettings
from schools.models import School


def outside_calls_allowed(school: School) -> bool:
    """Neither the installation (LECTERN_OFFLINE) nor the school has switched calls to the outside off."""
    return not settings.LECTERN_OFFLINE and ReferenceSettings.of(school).allows_outside_calls
