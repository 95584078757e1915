"""“Ask my teacher about this”, and what the teacher says about an answer."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from chatbots.models import Chat, Message
from classrooms.models import RaisedHand, TeacherNote
from text.visible import is_visible

MAX_NOTE_LENGTH = 2000


class NoteRefused(Exception):
    """The note is too long; the message says so."""


def raise_hand(message: Message, *, is_raised: bool) -> None:
    """Put an answer into the teacher's list, or take it out again. What the teacher has answered stays."""
    if is_raised:
        row, is_new = RaisedHand.objects.get_or_create(message=message, defaults={"school_id": message.school_id})
        if not is_new and row.answered_at:
            RaisedHand.objects.filter(pk=row.pk).update(answered_at=None, raised_at=timezone.now())
    else:
        RaisedHand.objects.waiting().filter(message=message).delete()


def filter_no_longer_waiting(messages: Iterable[UUID], chat: Chat) -> QuerySet[Message]:
    """Those of these messages of a conversation for which no hand is raised any more."""
    rows = Message.objects.filter(pk__in=list(messages), chat=chat)
    return rows.filter(Q(raised_hand=None) | Q(raised_hand__answered_at__isnull=False)).order_by("created_at", "pk")


def settle(hand: RaisedHand, *, is_settled: bool = True) -> None:
    """Take a raised hand off the list of those that wait, or put it back."""
    RaisedHand.objects.filter(pk=hand.pk).update(answered_at=timezone.now() if is_settled else None)


@transaction.atomic
def write_note(message: Message, text: str) -> TeacherNote | None:
    """Write or change the teacher's note on an answer; an empty text removes it. Raises NoteRefused."""
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if len(text) > MAX_NOTE_LENGTH:
        raise NoteRefused(f"The note has {len(text):,} characters; at most {MAX_NOTE_LENGTH:,} are possible.")
    if not is_visible(text):
        TeacherNote.objects.filter(message=message).delete()
        return None
    note, _ = TeacherNote.objects.update_or_create(
        message=message,
        defaults={"text": text, "written_at": timezone.now()},
        create_defaults={"school_id": message.school_id, "text": text},
    )
    RaisedHand.objects.waiting().filter(message=message).update(answered_at=timezone.now())
    return note
