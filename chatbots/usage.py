"""How much a school's chatbots and library are used: figures for admins, never what was asked (S3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, UUIDField
from django.db.models.functions import Coalesce
from django.utils import timezone

from chatbots.models import (
    Chatbot,
    Feedback,
    Message,
    MessageQuerySet,
    MessageSource,
    MessageStatus,
    Mode,
    Reason,
    Verdict,
)
from corpus.passages import SourceKind
from school_library.models import SchoolDocument
from schools.models import Membership, School

DAYS = 30
MOST_USED = 10
"""Library documents that the school's figures name at most."""

_QUESTION = Coalesce("message__version_of", "message", output_field=UUIDField())
"""Of a source: its question, so that one that was answered again counts once."""


def library_usage(document: SchoolDocument) -> dict[str, Any]:
    """Chatbots that may read the document, and answers of the last 30 days that were given or cited it."""
    used = MessageSource.objects.filter(
        school=document.school_id,
        kind=SourceKind.SCHOOL,
        document_id=document.pk,
        message__created_at__gte=_since(),
    )
    return {
        "chatbots": document.chatbot_links.count(),
        **used.aggregate(
            found=Count(_QUESTION, distinct=True),
            cited=Count(_QUESTION, distinct=True, filter=Q(is_cited=True)),
        ),
        "days": DAYS,
    }


def school_usage(school: School) -> dict[str, Any]:
    """Figures of the whole school: chatbots of its members now, and what was asked in the last 30 days.

    No words of a teacher's are in it: neither questions nor the names of chatbots and personal documents.
    """
    messages = Message.objects.for_school(school).filter(created_at__gte=_since()).one_each()
    people, former = _questions_of_members(school, messages)
    done = Q(status=MessageStatus.DONE)
    return {
        "days": DAYS,
        "chatbots": Chatbot.objects.for_school(school).filter(owner__memberships__school=school).count(),
        "documents": _most_used(school),
        "people": people,
        "former": former,
        **_feedback(school),
        **messages.aggregate(
            conversations=Count("chat", distinct=True),
            questions=Count("pk"),
            answered=Count("pk", filter=done & ~Q(mode=Mode.REFUSED)),
            refused=Count("pk", filter=done & Q(mode=Mode.REFUSED)),
            failed=Count("pk", filter=Q(status__in=(MessageStatus.FAILED, MessageStatus.INTERRUPTED))),
        ),
    }


def _feedback(school: School) -> dict[str, Any]:
    """How often answers were called helpful or not, and for which reasons; nobody's words."""
    given = Feedback.objects.for_school(school).filter(message__created_at__gte=_since())
    reasons = given.exclude(reason="").order_by().values_list("reason").annotate(count=Count("pk"))
    counts = dict(reasons)
    return {
        "reasons": [(reason.label, counts[reason]) for reason in Reason if reason in counts],
        **given.aggregate(
            helpful=Count("pk", filter=Q(verdict=Verdict.UP)),
            unhelpful=Count("pk", filter=Q(verdict=Verdict.DOWN)),
        ),
    }


def _most_used(school: School) -> list[dict[str, Any]]:
    """Library documents by the answers that cited them, then by those they were found for."""
    library = SchoolDocument.objects.for_school(school)
    used = (
        MessageSource.objects.for_school(school)
        .filter(
            kind=SourceKind.SCHOOL, message__created_at__gte=_since(), document_id__in=library.values("pk")
        )
        .values("document_id")
        .annotate(
            found=Count(_QUESTION, distinct=True),
            cited=Count(_QUESTION, distinct=True, filter=Q(is_cited=True)),
        )
        .order_by("-cited", "-found", "document_id")[:MOST_USED]
    )
    titles = library.in_bulk([row["document_id"] for row in used])
    return [{"document": titles[row["document_id"]], **row} for row in used]


def _questions_of_members(
    school: School, messages: MessageQuerySet
) -> tuple[list[tuple[Membership, int]], int]:
    """Members who asked something with how much, the most first, and the questions of people who have left."""
    counts = messages.order_by().values_list("chat__owner").annotate(asked=Count("pk"))
    asked = dict(counts)
    members = Membership.objects.for_school(school).filter(user__in=asked).select_related("user").named()
    people = [(member, asked.pop(member.user_id)) for member in members]
    return sorted(people, key=lambda person: -person[1]), sum(asked.values())


def _since() -> datetime:
    return timezone.now() - timedelta(days=DAYS)
