"""Check every few seconds, for all readers of a process at once, whether they may still read."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone

from chatbots.guests import filter_permitted_guests
from chatbots.models import Message
from engines import background
from schools.models import AccessToken, Membership

logger = logging.getLogger(__name__)

ACCESS_CHECK_SECONDS = 3.0
"""Seconds between two checks. A stream ends at most about five seconds after its reader loses access."""

LOST = (
    "You can no longer follow this answer: you were signed out, your access token ended, you left this school, or the "
    "chatbot is no longer shared with you. Your question is kept."
)


class AccessLost(Exception):
    """The reader has lost access."""


@dataclass(frozen=True)
class Subscriber:
    """A membership with a session or an access token, or a participant without an account (`guest`), and the answer
    that it follows."""

    membership: Any = None
    session: str | None = None
    token: UUID | None = None
    message: UUID | None = None
    guest: UUID | None = None


@dataclass(eq=False)
class Watch:
    reader: Subscriber
    is_lost: bool = False
    checked_at: float = field(default_factory=time.monotonic)

    def check(self) -> None:
        """Call it every second. Raises AccessLost, at most a few seconds after the reader has lost access."""
        if self.is_lost:
            raise AccessLost
        if time.monotonic() > self.checked_at + ACCESS_CHECK_SECONDS and _checking.acquire(blocking=False):
            background.get_pool("requests").submit(_check_all)


watches: set[Watch] = set()
_checking = threading.Lock()


@contextmanager
def watch_access(reader: Subscriber) -> Iterator[Watch]:
    """Check the access of a reader within this context."""
    watch = Watch(reader)
    watches.add(watch)
    try:
        yield watch
    finally:
        watches.discard(watch)


def _check_all() -> None:
    checked = watches.copy()
    try:
        allowed = _allowed({watch.reader for watch in checked})
        for watch in checked:
            watch.is_lost = watch.reader not in allowed
    except Exception as problem:  # such as a lost database connection: it does not revoke access
        logger.warning("Access of readers not checked: %s", type(problem).__name__)
    finally:
        for watch in checked:
            watch.checked_at = time.monotonic()
        connection.close()
        _checking.release()


def _allowed(readers: Collection[Subscriber]) -> set[Subscriber]:
    """The readers who still have access: guests whose host lets them in, and active members with a valid session or
    token; all of them only while they may use the chatbot."""
    now = timezone.now()
    unended = Q(expires_at=None) | Q(expires_at__gt=now)
    rows: dict[str, QuerySet[Any]] = {
        "membership": Membership.objects.joined().filter(user__is_active=True),
        "session": Session.objects.filter(expire_date__gt=now),
        "token": AccessToken.objects.filter(unended, revoked_at=None),
    }
    allowed = {one for one in readers if one.membership or one.guest}
    for name, valid in rows.items():
        keys = {getattr(one, name) for one in allowed} - {None}
        keys = {None, *valid.filter(pk__in=keys).values_list("pk", flat=True)} if keys else {None}
        allowed = {one for one in allowed if getattr(one, name) in keys}
    guests = filter_permitted_guests({one.guest for one in allowed if one.guest}) | {None}
    read = Message.objects.filter(pk__in={one.message for one in allowed if one.message})
    # The stream of a message that was erased ends by itself.
    closed = set(read.values_list("pk", flat=True)) - set(read.still_served().values_list("pk", flat=True))
    return {one for one in allowed if one.guest in guests and one.message not in closed}
