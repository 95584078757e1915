"""Create and change chatbots, and set what they may read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from chatbots.models import (
    NEVER_GENERAL,
    Chatbot,
    ChatbotKind,
    ChatbotPersonalDocLink,
    ChatbotSchoolDocLink,
    ChatbotSource,
    WhenUnsure,
)
from corpus.models import Document
from corpus.source_kinds import Participation
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership

D = TypeVar("D", bound=Document)


class ChatbotRefused(Exception):
    """A chatbot cannot be as it is wished; the message says why, `field` of what."""

    def __init__(self, field: str, words: str) -> None:
        super().__init__(words)
        self.field = field


def create_chatbot(*, member: Membership, **fields: Any) -> Chatbot:
    """A new chatbot of the member's, which may read nothing yet. Raises ChatbotRefused."""
    chatbot = Chatbot(school=member.school, owner=member.user)
    return change_chatbot(chatbot=chatbot, **fields)


@transaction.atomic
def change_chatbot(*, chatbot: Chatbot, weights: Mapping[str, int] | None = None, **fields: Any) -> Chatbot:
    """Change these fields, and the weights of kinds of source. Raises ChatbotRefused."""
    for name, value in fields.items():
        setattr(chatbot, name, value)
    if chatbot.kind == ChatbotKind.TEXTBOOK and chatbot.when_unsure == WhenUnsure.GENERAL:
        raise ChatbotRefused("when_unsure", NEVER_GENERAL)
    chatbot.save()
    if weights:
        set_weights(chatbot, weights)
    return chatbot


def set_weights(chatbot: Chatbot, weights: Mapping[str, int]) -> None:
    """Change the weights of these kinds of source, which then share the places; another kind takes what is left.

    Raises ChatbotRefused where they do not add up to 100.
    """
    sources = chatbot.all_sources()
    for row in sources:
        if weights.get(row.kind, row.weight) != row.weight:
            row.participation, row.weight = Participation.SHARES, weights[row.kind]
    rest = 100 - sum(row.weight for row in sources)
    others = [row for row in sources if row.kind not in weights]
    other = next((row for row in others if row.shares), None) or next(
        (row for row in others if row.source_kind.participation == Participation.SHARES), None
    )
    if rest and (other is None or other.weight + rest < 0):
        raise ChatbotRefused(f"{[*weights][-1]}_weight", f"The weights must add up to 100, not {100 - rest}.")
    if rest and other:
        other.participation, other.weight = Participation.SHARES, other.weight + rest
    set_shares(chatbot=chatbot, sources=sources)


@transaction.atomic
def set_shares(*, chatbot: Chatbot, sources: Sequence[ChatbotSource]) -> None:
    """Store how each kind of source takes part; of a kind that nobody registers any more nothing is kept."""
    ChatbotSource.objects.filter(chatbot=chatbot).exclude(kind__in=[row.kind for row in sources]).delete()
    for row in sources:
        row.school_id, row.chatbot = chatbot.school_id, chatbot
    ChatbotSource.objects.bulk_create(
        sources, update_conflicts=True, unique_fields=["chatbot", "kind"], update_fields=["participation", "weight"]
    )


@transaction.atomic
def set_personal_documents(*, chatbot: Chatbot, member: Membership, documents: Collection[UUID]) -> None:
    """Let a chatbot read exactly these of the teacher's own documents; ids of others are not taken."""
    own = PersonalDocument.objects.for_member(member).filter(pk__in=documents)
    new = _held(own.exclude(chatbot_links__chatbot=chatbot))
    chatbot.personal_links.exclude(document__in=own).delete()
    ChatbotPersonalDocLink.objects.bulk_create(
        [ChatbotPersonalDocLink(school_id=chatbot.school_id, chatbot=chatbot, document=doc) for doc in new],
        ignore_conflicts=True,
    )


@transaction.atomic
def set_school_documents(*, chatbot: Chatbot, member: Membership, documents: Collection[UUID]) -> None:
    """Let a chatbot read exactly these published library documents.

    A link to a document that is withdrawn at the moment stays: it answers again when it is published again.
    """
    chosen = SchoolDocument.objects.for_school(member.school).published().filter(pk__in=documents)
    new = _held(chosen.exclude(chatbot_links__chatbot=chatbot))
    chatbot.school_links.filter(document__is_published=True).exclude(document__in=chosen).delete()
    ChatbotSchoolDocLink.objects.bulk_create(
        [ChatbotSchoolDocLink(school_id=chatbot.school_id, chatbot=chatbot, document=doc) for doc in new],
        ignore_conflicts=True,
    )


def _held(documents: QuerySet[D]) -> list[D]:
    """Those of them that are not being deleted; until the transaction ends, they will not be."""
    return list(documents.order_by("pk").select_for_update(of=("self",), no_key=True))


def link_school_document(*, chatbot: Chatbot, document: SchoolDocument, linked: bool) -> None:
    """Link or unlink one library document; it takes effect with the next question (L2)."""
    if linked:
        ChatbotSchoolDocLink.objects.get_or_create(
            chatbot=chatbot, document=document, defaults={"school_id": chatbot.school_id}
        )
    else:
        chatbot.school_links.filter(document=document).delete()
