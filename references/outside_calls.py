"""Whether anything outside may be called for a school (ADR 22)."""

from __future__ import annotations

from django.conf import settings

from references.fetching.errors import FetchFailed
from references.fetching.permit import Permit
from references.models import ReferenceSettings
from schools.models import School


def may_call_outside(school: School) -> bool:
    """Neither the installation (LECTERN_OFFLINE) nor the school has switched calls to the outside off."""
    return not settings.LECTERN_OFFLINE and ReferenceSettings.of(school).allows_outside_calls


def get_permit(school: School) -> Permit:
    """What `fetch` wants to see. Raises FetchFailed if nothing may be called."""
    if settings.LECTERN_OFFLINE:
        raise FetchFailed("This installation makes no calls to the outside (LECTERN_OFFLINE).")
    if not may_call_outside(school):
        raise FetchFailed("This school has switched calls to the outside off.")
    return Permit(str(school.pk))


def find_cautions() -> list[str]:
    if not settings.LECTERN_FETCH_LOOPBACK:
        return []
    return ["LECTERN_FETCH_LOOPBACK is on: listed web pages may be on this machine. Only for trying things out."]
