"""Create and change chatbots and their sources."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from chatbots.models import (
    NEVER_GENERAL,
    Chatbot,
    ChatbotKind,
    ChatbotSchoolDocLink,
    ChatbotSource,
    WhenUnsure,
)
from corpus.models import Document
from corpus.search.fusion import reserve_places
from corpus.source_kinds import Participation, list_kinds, list_searchable_kinds
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership


class ChatbotRefused(Exception):
    """The values are invalid: the message says why, `field` names the field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def create_chatbot(*, member: Membership, **fields: Any) -> Chatbot:
    """Create a chatbot without documents. Raises ChatbotRefused."""
    chatbot = Chatbot(school=member.school, owner=member.user)
    return change_chatbot(chatbot=chatbot, **fields)


@transaction.atomic
def change_chatbot(*, chatbot: Chatbot, weights: Mapping[str, int] | None = None, **fields: object) -> Chatbot:
    """Change fields and weights. Raises ChatbotRefused."""
    for name, value in fields.items():
        setattr(chatbot, name, value)
    if chatbot.kind == ChatbotKind.TEXTBOOK and chatbot.when_unsure == WhenUnsure.GENERAL:
        raise ChatbotRefused("when_unsure", NEVER_GENERAL)
    chatbot.save()
    if weights:
        set_weights(chatbot, weights)
    return chatbot


def set_weights(chatbot: Chatbot, weights: Mapping[str, int]) -> None:
    """Change the weights of these kinds of source, which then share the places. Another kind gets the remainder.

    Raises ChatbotRefused if they do not add up to 100.
    """
    sources = chatbot.all_sources()
    for row in sources:
        if weights.get(row.kind, row.weight) != row.weight:
            row.participation, row.weight = Participation.SHARES, weights[row.kind]
    remaining = 100 - sum(row.weight for row in sources)
    others = [row for row in sources if row.kind not in weights and (remaining < 0 or row.is_allowed)]
    other = next((row for row in others if row.shares), None) or next(
        (row for row in others if row.source_kind.participation == Participation.SHARES), None
    )
    if remaining and (other is None or other.weight + remaining < 0):
        raise ChatbotRefused(f"{[*weights][-1]}_weight", f"The weights must add up to 100, not {100 - remaining}.")
    if remaining and other:
        other.participation, other.weight = Participation.SHARES, other.weight + remaining
    set_shares(chatbot=chatbot, sources=sources)


def set_kinds(chatbot: Chatbot, wanted: Mapping[str, tuple[Participation, int]]) -> None:
    """Change how these kinds of source take part, with the weights of those that share.

    Other kinds that share keep their proportions in what is left. Raises ChatbotRefused, with the kind as its field.
    """
    sources = chatbot.all_sources()
    for row in sources:
        new = wanted.get(row.kind, (row.participation, row.weight))
        if new != (row.participation, row.weight) and new[0] != Participation.OFF and not row.is_allowed:
            raise ChatbotRefused(row.kind, f"Your school does not allow {row.source_kind.plural}.")
        row.participation, row.weight = new
    others = [row for row in sources if row.shares and row.kind not in wanted and row.is_allowed]
    remaining = 100 - sum(row.weight for row in sources if row not in others)
    if remaining < 0 or (remaining and not others):
        raise ChatbotRefused("kinds", f"The weights must add up to 100, not {100 - remaining}.")
    before = [row.weight for row in others]
    for row, weight in zip(
        others, reserve_places(before if any(before) else [1] * len(others), remaining), strict=True
    ):
        row.weight = weight
    set_shares(chatbot=chatbot, sources=sources)


@transaction.atomic
def set_shares(*, chatbot: Chatbot, sources: Sequence[ChatbotSource]) -> None:
    """Store how these kinds of source take part, and delete rows of kinds that nobody registers any more.

    A kind that is switched off with its plug-in loses its weight, which the others need, and keeps its row.
    """
    others = ChatbotSource.objects.filter(chatbot=chatbot).exclude(
        kind__in=[one.value for one in list_searchable_kinds()]
    )
    others.exclude(kind__in=[one.value for one in list_kinds()]).delete()
    others.filter(weight__gt=0).update(participation=Participation.OFF, weight=0)
    for row in sources:
        row.school_id, row.chatbot = chatbot.school_id, chatbot
    ChatbotSource.objects.bulk_create(
        sources, update_conflicts=True, unique_fields=["chatbot", "kind"], update_fields=["participation", "weight"]
    )


def set_personal_documents(*, chatbot: Chatbot, member: Membership, documents: Collection[UUID]) -> None:
    """Let a chatbot read exactly these personal documents; ids of other people's documents are ignored."""
    own = PersonalDocument.objects.for_member(member).filter(pk__in=documents)
    _replace_links(chatbot, chatbot.personal_links.all(), own)


def set_school_documents(*, chatbot: Chatbot, member: Membership, documents: Collection[UUID]) -> None:
    """Let a chatbot read exactly these published library documents.

    Links to withdrawn documents stay, and work again when the document is published again.
    """
    chosen = SchoolDocument.objects.for_school(member.school).published().filter(pk__in=documents)
    _replace_links(chatbot, chatbot.school_links.filter(document__is_published=True), chosen)


@transaction.atomic
def _replace_links(chatbot: Chatbot, links: QuerySet[Any], documents: QuerySet[Any]) -> None:
    link_documents(chatbot=chatbot, documents=documents)
    links.exclude(document__in=documents).delete()


@transaction.atomic
def link_documents(*, chatbot: Chatbot, documents: QuerySet[Any]) -> None:
    """Let a chatbot read more documents of one kind. They are locked, so that none is deleted meanwhile."""
    new = documents.exclude(chatbot_links__chatbot=chatbot).order_by("pk").select_for_update(of=("self",), no_key=True)
    links = documents.model._meta.get_field("chatbot_links").related_model
    added = [links(school_id=chatbot.school_id, chatbot=chatbot, document=document) for document in new]
    links._default_manager.bulk_create(added, ignore_conflicts=True)


def link_document(*, chatbot: Chatbot, document: Document) -> None:
    """Let a chatbot read one more document, of its owner or of the library; twice is once."""
    links = chatbot.personal_links if isinstance(document, PersonalDocument) else chatbot.school_links
    links.get_or_create(document=document, defaults={"school_id": chatbot.school_id})


def link_school_document(*, chatbot: Chatbot, document: SchoolDocument, linked: bool) -> None:
    """Link or unlink one library document; it takes effect with the next question (L2)."""
    if linked:
        ChatbotSchoolDocLink.objects.get_or_create(
            chatbot=chatbot, document=document, defaults={"school_id": chatbot.school_id}
        )
    else:
        chatbot.school_links.filter(document=document).delete()
