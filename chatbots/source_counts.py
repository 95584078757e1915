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
    """The documents by kind of each chatbot in the member's list that the member may read; kinds without any are left
    out."""
    found = Counter[tuple[UUID, str]]()
    for kind in document_kinds():
        documents: Any = kind.documents_for(member)  # type: ignore[misc]  # a document kind has it
        rows = documents.filter(chatbots__in=Chatbot.objects.visible_to(member)).order_by()
        for chatbot, count in rows.values_list("chatbots").annotate(Count("pk")):
            found[chatbot, kind.value] = count
    owners = dict(Chatbot.objects.visible_to(member).values_list("pk", "owner"))
    return {
        key: [
            (kind, found[key, kind.value])
            for kind in document_kinds()
            if found[key, kind.value] and (owner == member.user_id or not kind.is_private)
        ]
        for key, owner in owners.items()
    }


def answering_counts(chatbot: Chatbot, member: Membership) -> Counts:
    """The documents by kind from which a chatbot can answer this member now."""
    private = chatbot.uses_private_sources_for(member.user_id)
    return [
        (kind, kind.documents_of(chatbot).filter(answering_version__isnull=False).count())
        for kind in document_kinds()
        if kind.documents_of and (private or not kind.is_private)
    ]
