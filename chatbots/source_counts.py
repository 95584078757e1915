"""Count the documents of each kind that chatbots may read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Count, F

from chatbots.models import Chatbot
from corpus.source_kinds import SourceKind, list_document_kinds
from schools.models import Membership

Counts = list[tuple[SourceKind, int]]


def count_documents_by_chatbot(member: Membership) -> Mapping[UUID, Counts]:
    """The documents by kind of each chatbot in the member's list from which it can answer the member, in words for the
    member; of the member's own chatbots also documents that are not read yet. Kinds without any are left out."""
    visible = Chatbot.objects.visible_to(member)
    owners = dict(visible.values_list("pk", "owner"))
    shared = visible.exclude(owner=member.user_id).filter(colleagues_get_documents=True)
    found = Counter[tuple[UUID, str]]()
    for kind in list_document_kinds():
        documents: Any = kind.documents_for(member)  # type: ignore[misc]  # a document kind has it
        counted = [documents.filter(chatbots__in=visible.filter(owner=member.user_id) if kind.is_private else visible)]
        if kind.is_private:
            counted.append(documents.model.objects.searchable().filter(chatbots__in=shared, owner=F("chatbots__owner")))
        for rows in counted:
            found.update(
                {(pk, kind.value): n for pk, n in rows.order_by().values_list("chatbots").annotate(Count("pk"))}
            )
    return {
        key: [
            (kind.named_for(member.user_id, owner), found[key, kind.value])
            for kind in list_document_kinds()
            if found[key, kind.value]
        ]
        for key, owner in owners.items()
    }


def count_answering_documents(chatbot: Chatbot, member: Membership) -> Counts:
    """The documents by kind from which a chatbot can answer this member now."""
    private = chatbot.uses_private_sources_for(member.user_id)
    return [
        (kind, kind.find_documents(chatbot).filter(answering_version__isnull=False).count())
        for kind in list_document_kinds()
        if kind.find_documents and (private or not kind.is_private)
    ]
