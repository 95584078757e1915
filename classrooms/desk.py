"""What happens in a class now: for the teacher's desk, which is brought up to date while it is open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from chatbots.models import Message
from classrooms.mails import list_unreached
from classrooms.models import ClassLink, ClassState, ConcernMail, Flag, Pupil, RaisedHand
from classrooms.transcripts import build_refused_filter, list_pupils

ACTIVE = timedelta(minutes=5)
HANDS_SHOWN = 30


@dataclass(frozen=True)
class Desk:
    """The figures of a class now. `active` are pupils who were here in the last five minutes."""

    state: ClassState
    pupils: list[Pupil]
    active: int
    last_minute: int
    asked: int
    refused: int
    """Of the last ten minutes, as `asked`."""
    hands: list[RaisedHand]
    flags: list[Flag]
    seen: list[Flag]
    seen_count: int
    erased: list[Flag]
    """Found, and erased with the pupil before anybody looked."""
    unreached: list[ConcernMail]
    """The first mail about a concern that could not be sent, for each person who waits for one."""


def build_desk(link: ClassLink) -> Desk:
    """The figures of this moment."""
    now = timezone.now()
    pupils = list(list_pupils(link))
    for one in pupils:
        one.is_active = now - one.seen_at < ACTIVE  # type: ignore[attr-defined]
    recent = Message.objects.filter(
        chat__participant__pupil__class_link=link, version_of=None, created_at__gte=now - timedelta(minutes=10)
    )
    flags = Flag.objects.filter(pupil__class_link=link).select_related("pupil")
    seen = flags.exclude(seen_at=None)
    hands = RaisedHand.objects.waiting().filter(message__chat__participant__pupil__class_link=link)
    return Desk(
        state=ClassState.SWITCHED_OFF if link.is_switched_off() else link.state(now),
        pupils=pupils,
        active=sum(now - one.seen_at < ACTIVE for one in pupils),
        last_minute=recent.filter(created_at__gte=now - timedelta(minutes=1)).count(),
        asked=recent.count(),
        refused=recent.filter(build_refused_filter()).count(),
        flags=list(flags.filter(seen_at=None)[:HANDS_SHOWN]),
        seen=list(seen.order_by("-seen_at", "-pk")[:HANDS_SHOWN]),
        seen_count=seen.count(),
        erased=list(Flag.objects.unseen().filter(class_link=link)[:HANDS_SHOWN]),
        unreached=list_unreached(link),
        hands=list(hands.select_related("message__chat__participant__pupil", "message__chat__chatbot")[:HANDS_SHOWN]),
    )
