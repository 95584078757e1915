"""Usage figures of chatbots and documents, without any text of questions (S3).

Owners see the figures of their chatbots and documents, admins those of the school and its library. A question with
several answers counts once. Deleted conversations count until they are erased.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Aggregate, Count, FloatField, Func, IntegerField, Q, UUIDField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from chatbots.models import (
    Chatbot,
    Feedback,
    FeedbackVerdict,
    Message,
    MessageQuerySet,
    MessageSource,
    MessageStatus,
    Mode,
    Reason,
)
from corpus.models import Document
from corpus.source_kinds import SELECTION
from school_library.models import SchoolDocument
from schools.models import Membership, School

PERIODS = (7, 30, 365)
"""Selectable periods in days."""
DAYS = 30
MAX_DOCUMENTS = 10
"""Library documents in the school's figures."""
SAID_BY = 3
"""The least number of people who gave feedback before admins see totals. With fewer, they could infer one person's
opinion."""


class Median(Aggregate):
    """The median; PostgreSQL interpolates between two middle values."""

    function = "percentile_cont"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


_DONE = Q(status=MessageStatus.DONE)
ANSWERED = _DONE & ~Q(mode=Mode.REFUSED)
REFUSED = _DONE & Q(mode=Mode.REFUSED)
FIRST_TOKEN_MS = Cast(Median(Cast(KT("timings__first_token_ms"), FloatField()), filter=_DONE), IntegerField())
"""From the prompt to the first token of the language model."""

_FIGURES: dict[str, Func] = {
    "questions": Count("pk"),
    "answered": Count("pk", filter=ANSWERED),
    "refused": Count("pk", filter=REFUSED),
    "failed": Count("pk", filter=Q(status__in=(MessageStatus.FAILED, MessageStatus.INTERRUPTED))),
    "stopped": Count("pk", filter=Q(status=MessageStatus.STOPPED)),
    "median_ms": Cast(Median(Cast(KT("timings__total_ms"), FloatField()), filter=_DONE), IntegerField()),
    "first_token_ms": FIRST_TOKEN_MS,
}


@dataclass(frozen=True)
class ChatbotUsage:
    """The questions of the last `days` by outcome; unfinished ones count in `questions` only.

    `median_ms` is the median time from question to whole answer; None without answers. `first_token_ms` is that from
    the prompt to the first token of the language model; None without answers by one.
    """

    days: int
    questions: int = 0
    answered: int = 0
    refused: int = 0
    failed: int = 0
    stopped: int = 0
    median_ms: int | None = None
    first_token_ms: int | None = None
    helpful: int = 0
    unhelpful: int = 0

    @property
    def median_seconds(self) -> float | None:
        return None if self.median_ms is None else self.median_ms / 1000

    @property
    def first_token_seconds(self) -> float | None:
        return None if self.first_token_ms is None else self.first_token_ms / 1000


@dataclass(frozen=True)
class DocumentUsage:
    """How many chatbots may read a document now, and how many questions of the last `days` found and cited it."""

    days: int
    read_by: int
    found: int
    cited: int
    cited_by: int


_QUESTION = Coalesce("message__version_of", "message", output_field=UUIDField())
"""The question of a source, so that several answers count once."""


def compute_chatbot_usage(chatbot: Chatbot, *, days: int = DAYS) -> ChatbotUsage:
    """The figures of one chatbot, for its owner."""
    return _of_chatbots([chatbot.pk], days)[chatbot.pk]


def compute_usage_by_chatbot(member: Membership, *, days: int = DAYS) -> list[tuple[Chatbot, ChatbotUsage]]:
    """The member's chatbots by name, each with its figures."""
    chatbots = list(Chatbot.objects.for_member(member))
    figures = _of_chatbots([chatbot.pk for chatbot in chatbots], days)
    return [(chatbot, figures[chatbot.pk]) for chatbot in chatbots]


def compute_document_usage(document: Document, *, days: int = DAYS) -> DocumentUsage:
    """The figures of a document."""
    used = MessageSource.objects.filter(
        school=document.school_id, document_id=document.pk, message__created_at__gte=_since(days)
    ).exclude(kind=SELECTION.value)
    cited = Q(is_cited=True)
    figures = used.aggregate(
        found=Count(_QUESTION, distinct=True),
        cited=Count(_QUESTION, distinct=True, filter=cited),
        cited_by=Count("message__chat__chatbot", distinct=True, filter=cited),
    )
    links: Any = document.chatbot_links  # type: ignore[attr-defined]  # of either kind
    return DocumentUsage(days, read_by=links.filter(chatbot__deleted_at=None).count(), **figures)


def _of_chatbots(chatbots: Iterable[UUID], days: int) -> Mapping[UUID, ChatbotUsage]:
    keys = list(chatbots)
    messages = Message.objects.filter(chat__chatbot__in=keys, created_at__gte=_since(days)).one_each()
    rows = messages.order_by().values("chat__chatbot").annotate(**_FIGURES)
    figures = {row.pop("chat__chatbot"): row for row in rows}
    given = Feedback.objects.filter(message__chat__chatbot__in=keys, message__created_at__gte=_since(days))
    said = {
        row.pop("message__chat__chatbot"): row
        for row in given.order_by().values("message__chat__chatbot").annotate(**_VERDICTS)
    }
    return {key: ChatbotUsage(days, **figures.get(key, {}), **said.get(key, {})) for key in keys}


def list_questions_to_chatbots(member: Membership, *, days: int = DAYS) -> MessageQuerySet:
    """The questions of the last days to the member’s own chatbots that `compute_usage_by_chatbot` counts, one row
    each."""
    chatbots = Chatbot.objects.for_member(member).order_by().values("pk")
    return Message.objects.filter(chat__chatbot__in=chatbots, created_at__gte=_since(days)).one_each()


def list_school_questions(school: School, *, days: int = DAYS) -> MessageQuerySet:
    """The questions of the last days in a school, one row each."""
    return Message.objects.for_school(school).filter(created_at__gte=_since(days)).one_each()


def compute_school_usage(school: School, *, days: int = DAYS) -> dict[str, Any]:
    """Figures of the whole school: chatbots of its members now, and what was asked in the last days.

    It has no questions and no names of chatbots or personal documents.
    """
    messages = list_school_questions(school, days=days)
    people, former = _questions_of_members(school, messages)
    figures = messages.aggregate(conversations=Count("chat", distinct=True), **_FIGURES)
    median, first_token = figures["median_ms"], figures["first_token_ms"]
    return {
        "days": days,
        "periods": PERIODS,
        "chatbots": Chatbot.objects.for_school(school).kept().filter(owner__memberships__school=school).count(),
        "documents": _most_used(school, days),
        "people": people,
        "former": former,
        **_feedback(school, days),
        **figures,
        "median_seconds": None if median is None else median / 1000,
        "first_token_seconds": None if first_token is None else first_token / 1000,
    }


_VERDICTS: dict[str, Aggregate] = {
    "helpful": Count("pk", filter=Q(verdict=FeedbackVerdict.UP)),
    "unhelpful": Count("pk", filter=Q(verdict=FeedbackVerdict.DOWN)),
}


def _feedback(school: School, days: int) -> dict[str, object]:
    """Feedback totals and reasons, without comments. `is_shown` is False if fewer than `SAID_BY` people gave any."""
    given = Feedback.objects.for_school(school).filter(message__created_at__gte=_since(days))
    people = given.order_by().values("message__chat__participant").distinct().count()
    if people < SAID_BY:
        return {"is_shown": False, "said_by": SAID_BY, "reasons": [], "helpful": None, "unhelpful": None}
    reasons = given.exclude(reason="").order_by().values_list("reason").annotate(count=Count("pk"))
    counts = dict(reasons)
    return {
        "is_shown": True,
        "said_by": SAID_BY,
        "reasons": [(reason.label, counts[reason]) for reason in Reason if reason in counts],
        **given.aggregate(**_VERDICTS),
    }


def _most_used(school: School, days: int) -> list[dict[str, object]]:
    """Library documents by citing questions, then by questions that found them."""
    library = SchoolDocument.objects.for_school(school)
    used = (
        MessageSource.objects.for_school(school)
        .filter(message__created_at__gte=_since(days), document_id__in=library.values("pk"))
        .exclude(kind=SELECTION.value)
        .values("document_id")
        .annotate(found=Count(_QUESTION, distinct=True), cited=Count(_QUESTION, distinct=True, filter=Q(is_cited=True)))
        .order_by("-cited", "-found", "document_id")[:MAX_DOCUMENTS]
    )
    titles = library.in_bulk([row["document_id"] for row in used])
    return [{"document": titles[row["document_id"]], **row} for row in used if row["document_id"] in titles]


def _questions_of_members(school: School, messages: MessageQuerySet) -> tuple[list[tuple[Membership, int]], int]:
    """Members with their number of questions, most first, and the questions of former members."""
    counts = messages.order_by().values_list("chat__participant__user").annotate(asked=Count("pk"))
    asked = dict(counts)
    members = Membership.objects.for_school(school).joined().filter(user__in=asked).select_related("user").named()
    people = [(member, asked.pop(member.user_id)) for member in members]
    return sorted(people, key=lambda person: -person[1]), sum(asked.values())


def _since(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)
