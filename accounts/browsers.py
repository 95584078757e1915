"""The browsers in which a person is signed in: `allauth.usersessions` stores them, here they are noted and ended.

One goes with Django's session and is deleted with it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.audit import find_entered_school
from accounts.devices import describe_device
from schools.audit.actions import Action
from schools.audit.recording import record

PAUSE = 300
"""The least seconds between two notes of when a browser was last seen: allauth would write with each request."""

_next: dict[str, float] = {}  # when this process looks at a session again


def note_sign_in(request: HttpRequest, user: object, **_: object) -> None:
    """Receive Django's signal that somebody has signed in: allauth hears only of its own ways."""
    if not request.session.session_key:
        request.session.save()
    try:
        ip = get_adapter().get_client_ip(request)
    except PermissionDenied:  # it has none, such as by a socket of the machine
        ip = "0.0.0.0"  # noqa: S104
    seen = {"user": user, "ip": ip, "user_agent": request.META.get("HTTP_USER_AGENT", "")[:200]}
    UserSession.objects.update_or_create(session_key=request.session.session_key, defaults=seen)


def touch(request: HttpRequest) -> None:
    """Note that a signed-in person is here; each process asks the database once in five minutes.

    Called after each request. Where the person was not needed, as with tokens and for pupils, it does nothing. It
    never fails: a session may be ended while its request is answered.
    """
    if not hasattr(request, "_cached_user") or not request.user.is_authenticated:  # nobody has asked for the user
        return
    key = request.session.session_key or ""
    if not key or time.monotonic() < _next.get(key, 0.0):
        return
    if len(_next) > 20_000:
        _next.clear()
    _next[key] = time.monotonic() + PAUSE
    with suppress(DatabaseError, PermissionDenied):  # the latter without an address
        seen = {"ip": get_adapter().get_client_ip(request), "user_agent": request.META.get("HTTP_USER_AGENT", "")[:200]}
        row = UserSession.objects.filter(session_key=key, user=request.user)
        if not row.update(last_seen_at=timezone.now(), **seen):
            UserSession.objects.create_from_request(request)


def list_sessions(user: Any) -> list[UserSession]:
    """List where a person is signed in, the latest first. What is over, or of an old password, is deleted.

    allauth does the same with several queries for each session.
    """
    rows = list(UserSession.objects.filter(user=user).order_by("-last_seen_at", "-pk"))
    stored = Session.objects.filter(expire_date__gt=timezone.now()).in_bulk([row.session_key for row in rows])
    current = user.get_session_auth_hash()
    valid = {
        key
        for key, session in stored.items()
        if constant_time_compare(session.get_decoded().get(HASH_SESSION_KEY, ""), current)
    }
    _delete([row.session_key for row in rows if row.session_key not in valid])
    return [row for row in rows if row.session_key in valid]


@transaction.atomic
def end(row: UserSession) -> None:
    """End a session: the next request of that browser is not signed in."""
    detail = {"ended": describe_device(row.user_agent), "of": row.ip}
    record(Action.SESSION_ENDED, school=find_entered_school(row.user), subject=row.user, detail=detail)
    _delete([row.session_key])


def end_others(user: object, current: str | None) -> int:
    """End all sessions of a person but the one with this key. Return how many."""
    rows = [row for row in list_sessions(user) if row.session_key != current]
    for row in rows:
        end(row)
    return len(rows)


def forget(user: object, *, but: str | None = None) -> None:
    """End all sessions of a person, whose account changes or goes, perhaps but the one with this key."""
    rows = UserSession.objects.filter(user=user).exclude(session_key=but or "")
    _delete(list(rows.values_list("session_key", flat=True)))


def _delete(keys: list[str]) -> None:
    Session.objects.filter(pk__in=keys).delete()
    UserSession.objects.filter(session_key__in=keys).delete()


def note_password(request: HttpRequest, user: object, **_: object) -> None:
    """Receive allauth's signals of a new password. Django opens the other sessions no more; here they go for good."""
    forget(user, but=request.session.session_key)


def note_person_deleted(instance: object, **_: object) -> None:
    """Receive that a person is deleted: their sessions go too."""
    forget(instance)


def note_session_deleted(instance: Session, **_: object) -> None:
    """Receive that a session of Django is deleted, such as by signing out or at night."""
    UserSession.objects.filter(session_key=instance.pk).delete()
