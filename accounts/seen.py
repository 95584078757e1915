"""Noting in which browser a person is signed in, and when they were last seen there."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import BrowserSession

PAUSE = timedelta(minutes=5)
"""The least time between two updates of when a browser was last seen."""

_SINCE = "signed_in_at"  # of the session
_MOST = 20_000
_next: dict[str, float] = {}  # when this process looks at a session again


def signed_in(request: HttpRequest, user: Any, **_: Any) -> None:
    """Receiver of Django’s signal: somebody has signed in, in whatever way."""
    request.session[_SINCE] = timezone.now().isoformat()
    if not request.session.session_key:
        request.session.save()
    _note(request, user)


def touch(request: HttpRequest) -> None:
    """Note that a signed-in person is here; the database is asked once in five minutes by each process.

    Called after each request. Where the person was not needed, as with tokens and for pupils, it does nothing. It
    never fails: a session may be ended while its request is answered.
    """
    if not hasattr(request, "_cached_user"):  # nobody has asked for `request.user`
        return
    user = request.user
    if not user.is_authenticated or not request.session.session_key:
        return
    if time.monotonic() >= _next.get(request.session.session_key, 0.0):
        with suppress(DatabaseError):
            _note(request, user)


def _note(request: HttpRequest, user: Any) -> None:
    key = request.session.session_key or ""
    if len(_next) > _MOST:
        _next.clear()
    _next[key] = time.monotonic() + PAUSE.total_seconds()
    now = timezone.now()
    seen = {
        "user": user,
        "device": "".join(sign for sign in request.META.get("HTTP_USER_AGENT", "") if sign.isprintable())[:160],
        "address": request.META.get("REMOTE_ADDR", "")[:45],
        "last_seen_at": now,
    }
    since = {"signed_in_at": _since(request) or now}
    BrowserSession.objects.update_or_create(session_id=key, defaults=seen, create_defaults=seen | since)


def _since(request: HttpRequest) -> datetime | None:
    """When the person signed in: with a new password Django gives the session another key, and so another row."""
    kept = request.session.get(_SINCE)
    return datetime.fromisoformat(kept) if isinstance(kept, str) else None
