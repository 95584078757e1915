"""What the pupils of a class asked and were answered: for the teacher of the class only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from uuid import UUID

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from chatbots.models import Message, MessageStatus, Mode
from chatbots.models.full_text import search_query
from classrooms.models import ClassLink, Concern, Flag, Pupil
from corpus.web.csv_file import csv_time
from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from schools.audit.recording import record

COLUMNS = ("time", "pupil", "chatbot", "question", "answer", "outcome", "cited", "note", "concern")

LEFT_OUT = (Concern.SELF_HARM, Concern.VIOLENCE, Concern.ABUSE, Concern.PERSONAL_DATA)
"""Questions with these are told without names nowhere: words alone may say who it was."""


def list_asked(link: ClassLink) -> QuerySet[Message]:
    """The newest answer to each question that pupils of the class asked, newest question first."""
    rows = Message.objects.filter(school=link.school_id, chat__participant__pupil__class_link=link)
    return (
        rows.newest()
        .select_related("chat__chatbot", "chat__participant__pupil", "raised_hand", "teacher_note")
        .prefetch_related("sources", "flags", "version_of__flags")
        .order_by("-created_at", "-pk")
    )


def search_questions(
    link: ClassLink, *, words: str = "", pupil: UUID | None = None, outcome: str = "", on: date | None = None
) -> QuerySet[Message]:
    """The same, only those with these words, of this pupil, of this outcome, asked on this day."""
    rows = list_asked(link)
    if words:
        rows = rows.filter(search=search_query(words))
    if pupil:
        rows = rows.filter(chat__participant__pupil=pupil)
    if outcome == "refused":
        rows = rows.filter(build_refused_filter())
    elif outcome == "hand":
        rows = rows.filter(raised_hand__isnull=False)
    elif outcome == "answered":
        rows = rows.filter(status=MessageStatus.DONE).exclude(mode=Mode.REFUSED)
    if on:
        rows = rows.filter(created_at__date=on)
    return rows


def build_concern_filter() -> Exists:
    """Questions in which something was found that is told without names nowhere, or in their answers."""
    flags = Flag.objects.filter(Q(message=OuterRef("pk")) | Q(message=OuterRef("version_of")))
    return Exists(flags.filter(category__in=LEFT_OUT))


def list_concerns(message: Message) -> list[str]:
    """What was found in a question and its answer, in words."""
    flags = [*message.flags.all(), *(message.version_of.flags.all() if message.version_of else ())]
    return list(dict.fromkeys(flag.get_category_display() for flag in flags))


def build_refused_filter() -> Q:
    """Questions that the sources do not answer."""
    return Q(status=MessageStatus.DONE, mode=Mode.REFUSED)


def list_pupils(link: ClassLink) -> QuerySet[Pupil]:
    """The pupils by nickname, with how many questions each `asked`, were `refused`, and raised a hand (`hands`)."""
    asked = Q(participant__chats__messages__version_of=None)
    messages = "participant__chats__messages"
    return link.pupils.annotate(
        asked=Count(messages, filter=asked, distinct=True),
        asked_today=Count(messages, filter=asked & Q(participant__chats__messages__created_at__gte=_midnight())),
        refused=Count(
            messages,
            filter=Q(
                participant__chats__messages__status=MessageStatus.DONE,
                participant__chats__messages__mode=Mode.REFUSED,
            ),
        ),
        hands=Count(
            messages,
            filter=Q(
                participant__chats__messages__raised_hand__isnull=False,
                participant__chats__messages__raised_hand__answered_at=None,
            ),
        ),
        last_asked=Max("participant__chats__messages__created_at"),
    ).order_by("nickname", "pk")


def write_lines(rows: QuerySet[Message], *, with_names: bool = True) -> Iterator[tuple[str, ...]]:
    """The rows as `COLUMNS`, oldest first. Without names each pupil is a number, and questions with a concern are
    left out."""
    numbers: dict[object, int] = {}
    rows = rows if with_names else rows.exclude(build_concern_filter())
    for row in rows.order_by("created_at", "pk"):
        pupil = row.chat.participant.pupil
        number = numbers.setdefault(pupil.pk, len(numbers) + 1)
        note = getattr(row, "teacher_note", None)
        yield (
            csv_time(row.created_at),
            pupil.nickname if with_names else f"Pupil {number}",
            row.chat.chatbot.name if row.chat.chatbot else "",
            row.question,
            row.answer,
            get_outcome(row),
            "; ".join(dict.fromkeys(source.document_title for source in row.sources.all() if source.is_cited)),
            note.text if note else "",
            "; ".join(list_concerns(row)),
        )


def get_outcome(message: Message) -> str:
    """How a question ended, in a word."""
    if message.status == MessageStatus.DONE:
        return "refused" if message.mode == Mode.REFUSED else "answered"
    return str(message.status)


def list_lessons(link: ClassLink) -> list[tuple[date, int]]:
    """The days on which the class asked, newest first, with the number of questions."""
    rows = Message.objects.filter(chat__participant__pupil__class_link=link, version_of=None)
    found = rows.annotate(day=F("created_at__date")).values("day").annotate(asked=Count("pk")).order_by("-day")
    return [(row["day"], row["asked"]) for row in found]


def record_look(action: Action, link: ClassLink, *, once: bool = False) -> None:
    """Note in the audit log what a teacher did with a class, such as reading or taking along what pupils asked; `once`
    in ten minutes at most, for what a page does while it is open."""
    since = timezone.now() - timedelta(minutes=10)
    known = AuditEntry.objects.filter(school=link.school_id, subject_id=str(link.pk), action=action.value, at__gt=since)
    if once and known.filter(actor_id=link.owner_id).exists():
        return
    record(action, school=link.school_id, subject=link, label=link.name)


def _midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
