"""Count the documents of each kind that chatbots may read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Count

from chatbots.models import Chatbot
from corpus.source_kinds import SourceKind, document_kinds
from schools.models import Membership

Counts = list[tuple[SourceKind, int]]


def document_counts(member: Membership) -> Mapping[UUID, Counts]:
    """The documents by kind of each of the member's chatbots, as far as the member may read them."""
    found = Counter[tuple[UUID, str]]()
    for kind in document_kinds():
        documents: Any = kind.documents_for(member)  # type: ignore[misc]  # a document kind has it
        rows = documents.filter(chatbots__owner=member.user_id).order_by()
        for chatbot, count in rows.values_list("chatbots").annotate(Count("pk")):
            found[chatbot, kind.value] = count
    keys = Chatbot.objects.for_member(member).values_list("pk", flat=True)
    return {key: [(kind, found[key, kind.value]) for kind in document_kinds()] for key in keys}


def answering_counts(chatbot: Chatbot) -> Counts:
    """The documents by kind from which a chatbot can answer now."""
    return [
        (kind, kind.documents_of(chatbot).filter(answering_version__isnull=False).count())
        for kind in document_kinds()
        if kind.documents_of
    ]
