"""What the operator's page says: work that waits, models, and figures of each school. Never a text of anybody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Max, QuerySet, Sum
from django.utils import timezone

from chatbots.insights.usage import FIRST_TOKEN_MS
from chatbots.model_trial import ModelTrial, find_trial
from chatbots.models import Chat, Chatbot, Message
from chatbots.models.message import UNFINISHED
from corpus.models import Document, Installation, Status, Version, concrete_models
from schools.models import Membership, School

DAYS = 30
"""The period in which questions are counted."""


@dataclass(frozen=True)
class SchoolFigures:
    """Counts of one school. `size` is in bytes, of all stored files; `questions` are those of the last DAYS days."""

    school: School
    members: int
    documents: int
    size: int
    chatbots: int
    conversations: int
    questions: int
    last_asked: datetime | None


@dataclass(frozen=True)
class Queue:
    """Work of the background processes: documents by state, answers being written."""

    waiting: int
    indexing: int
    failed: int
    oldest: datetime | None
    answers: int


@dataclass(frozen=True)
class AnsweringModels:
    """The models that answer. `language_model` is empty where answers only quote, `reader` where nothing is read.

    `first_token_seconds` is the median of the language model's time to its first token in the last day; None if it
    wrote nothing.
    """

    embedding: str
    reader: str
    language_model: str
    address: str
    trial: ModelTrial | None
    first_token_seconds: float | None


def compute_figures(schools: Sequence[School]) -> list[SchoolFigures]:
    """The figures of these schools, in their order. The number of queries does not depend on how many they are."""
    since = timezone.now() - timedelta(days=DAYS)
    members = _by_school(Membership.objects.joined(), schools)
    documents = _sum(_by_school(model._base_manager.all(), schools) for model in concrete_models(Document))
    stored = [model._base_manager.filter(cancelled_at=None) for model in concrete_models(Version)]
    sizes = _sum(_by_school(rows, schools, Sum("size")) for rows in stored)
    chatbots = _by_school(Chatbot._base_manager.filter(is_tutor=False), schools)
    chats = _by_school(Chat._base_manager.filter(deleted_at=None), schools)
    asked = Message._base_manager.filter(version_of=None)
    questions = _by_school(asked.filter(created_at__gte=since), schools)
    last = _by_school(asked, schools, Max("created_at"))
    return [
        SchoolFigures(
            school=school,
            members=members.get(school.pk, 0),
            documents=documents.get(school.pk, 0),
            size=sizes.get(school.pk, 0),
            chatbots=chatbots.get(school.pk, 0),
            conversations=chats.get(school.pk, 0),
            questions=questions.get(school.pk, 0),
            last_asked=last.get(school.pk),
        )
        for school in schools
    ]


def queue() -> Queue:
    """What waits now, in all schools."""
    states = _sum(
        dict(model._base_manager.values_list("status").order_by().annotate(Count("pk")))
        for model in concrete_models(Document)
    )
    waiting = [model._base_manager.filter(status=Status.QUEUED) for model in concrete_models(Document)]
    oldest = [rows.order_by("updated_at").values_list("updated_at", flat=True).first() for rows in waiting]
    return Queue(
        waiting=states.get(Status.QUEUED, 0),
        indexing=states.get(Status.INDEXING, 0),
        failed=states.get(Status.FAILED, 0),
        oldest=min(filter(None, oldest), default=None),
        answers=Message._base_manager.filter(status__in=UNFINISHED).count(),
    )


def models() -> AnsweringModels:
    """The models of the settings and of the installation's row."""
    row = Installation.objects.first() or Installation()
    reader = {"": "packaged", "none": ""}.get(settings.LECTERN_READER, settings.LECTERN_READER)
    asked = Message._base_manager.filter(created_at__gte=timezone.now() - timedelta(days=1))
    first_token = asked.aggregate(figure=FIRST_TOKEN_MS)["figure"]
    return AnsweringModels(
        embedding=row.name,
        reader=str(reader),
        language_model=settings.LECTERN_LLM_MODEL,
        address=settings.LECTERN_LLM_BASE_URL,
        trial=find_trial(),
        first_token_seconds=None if first_token is None else first_token / 1000,
    )


def move() -> Installation | None:
    """The move to another embedding model, if one is under way."""
    return Installation.objects.exclude(target_name="").first()


def _by_school(rows: QuerySet[Any], schools: Sequence[School], what: Any = None) -> dict[UUID, Any]:
    counted = rows.filter(school__in=schools).order_by().values_list("school")
    return dict(counted.annotate(figure=what or Count("pk")))


def _sum(counts: Iterable[dict[Any, int]]) -> dict[Any, int]:
    total: dict[object, int] = {}
    for count in counts:
        for key, number in count.items():
            total[key] = total.get(key, 0) + number
    return total
