"""What happens in a class now: for the teacher's desk, which is brought up to date while it is open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from chatbots.models import Message
from classrooms.mails import list_unreached
from classrooms.models import ClassLink, ClassState, ConcernMail, Flag, Pupil, RaisedHand
from classrooms.models.concern import FlagQuerySet
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
    """The newest that nobody has looked at, those of which an erased pupil left no word too."""
    unseen_count: int
    seen: list[Flag]
    seen_count: int
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
    flags = Flag.objects.of_class(link).select_related("pupil__real_name", "message")
    unseen, seen = flags.unseen(), flags.exclude(seen_at=None).exclude(pupil=None)
    hands = RaisedHand.objects.waiting().filter(message__chat__participant__pupil__class_link=link)
    return Desk(
        state=ClassState.SWITCHED_OFF if link.is_switched_off() else link.state(now),
        pupils=pupils,
        active=sum(now - one.seen_at < ACTIVE for one in pupils),
        last_minute=recent.filter(created_at__gte=now - timedelta(minutes=1)).count(),
        asked=recent.count(),
        refused=recent.filter(build_refused_filter()).count(),
        flags=list(unseen.order_by("-raised_at", "-pk")[:HANDS_SHOWN]),
        unseen_count=unseen.count(),
        seen=list(seen.order_by("-seen_at", "-pk")[:HANDS_SHOWN]),
        seen_count=seen.count(),
        unreached=list_unreached(link),
        hands=list(hands.select_related("message__chat__participant__pupil", "message__chat__chatbot")[:HANDS_SHOWN]),
    )


def count_unseen(flags: FlagQuerySet) -> Counter[UUID]:
    """How many of these nobody has looked at, by class."""
    classes = flags.unseen().filter(handed__isnull=True).annotate(of=Coalesce(F("pupil__class_link"), F("class_link")))
    return Counter(classes.values_list("of", flat=True))
