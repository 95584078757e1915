"""Services: the browsers in which a person is signed in, listed and ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.audit import entered
from accounts.devices import in_words
from accounts.models import BrowserSession
from schools.audit.actions import Action
from schools.audit.recording import record


def sessions_of(user: Any) -> list[BrowserSession]:
    """Where a person is signed in, the latest first. Sessions that are over, or of an old password, are deleted."""
    rows = list(BrowserSession.objects.filter(user=user).select_related("session"))
    over = [row for row in rows if not _is_valid(row, user)]
    _delete(over)
    return [row for row in rows if row not in over]


def _is_valid(row: BrowserSession, user: Any) -> bool:
    stored: Session = row.session
    if stored.expire_date <= timezone.now():
        return False
    return constant_time_compare(stored.get_decoded().get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())


@transaction.atomic
def end(row: BrowserSession) -> None:
    """End a session: the next request of that browser is not signed in."""
    record(
        Action.SESSION_ENDED,
        school=entered(row.user),
        subject=row.user,
        detail={"ended": in_words(row.device), "of": row.address},
    )
    _delete([row])


def end_others(user: Any, current: str | None) -> int:
    """End all sessions of a person but the one with this key. Returns how many."""
    rows = [row for row in sessions_of(user) if row.session_id != current]
    for row in rows:
        end(row)
    return len(rows)


def password_changed(request: HttpRequest, user: Any, **_: Any) -> None:
    """Receiver of allauth’s signals. Django opens the other sessions no more; here they go for good."""
    _delete(BrowserSession.objects.filter(user=user).exclude(session=request.session.session_key))


def forget(user: Any) -> None:
    """End all sessions of a person, whose account changes or goes."""
    _delete(BrowserSession.objects.filter(user=user))


def person_erased(instance: Any, **_: Any) -> None:
    """Receiver: the sessions of a person who is deleted go too."""
    forget(instance)


def _delete(rows: Iterable[BrowserSession]) -> None:
    Session.objects.filter(pk__in=[row.session_id for row in rows]).delete()
