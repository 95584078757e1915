"""The list of chatbots of a member: their own and those that colleagues share with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Max, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from chatbots.models import Chatbot, ChatbotRole, Collaborator
from chatbots.source_counts import Counts, count_documents_by_chatbot
from schools.models import Membership, name_in_school

FEW = 8
"""A list with more chatbots has a search field and can be sorted."""

MAX_WORDS = 100
"""Characters of a search, at most."""

SORTS = {"used": "Last used", "name": "Name"}

_ORDERS: dict[str, Sequence[Any]] = {
    "used": (F("used_at").desc(), "name", "pk"),
    "name": ("name", "pk"),
}


@dataclass(frozen=True)
class ChatbotRow:
    """A chatbot in the list, as this member sees it."""

    chatbot: Any
    """With `role`, `owner_name`, `chat_count` and `last_asked_at` of the member's own conversations, `colleagues`."""
    counts: Counts
    unanswered: int

    @property
    def is_own(self) -> bool:
        return bool(self.chatbot.role == ChatbotRole.OWNER)

    @property
    def may_change(self) -> bool:
        return self.chatbot.role in (ChatbotRole.OWNER, ChatbotRole.EDITOR)


@dataclass(frozen=True)
class ChatbotOverview:
    rows: Sequence[ChatbotRow]
    archived: Sequence[ChatbotRow]
    total: int
    """Chatbots of the member without the search."""

    @property
    def found(self) -> int:
        return len(self.rows) + len(self.archived)

    @property
    def can_be_searched(self) -> bool:
        return self.total > FEW


def list_chatbots(
    member: Membership, unanswered: Mapping[UUID, int], *, words: str = "", sort: str = "used"
) -> ChatbotOverview:
    """The chatbots whose name, subject or description has all words, by when they were last asked or by name.

    `unanswered` has the number of unanswered questions by chatbot.
    """
    every = Chatbot.objects.visible_to(member)
    found = _with_facts(every, member)
    for word in words.split():
        found = found.filter(Q(name__reads=word) | Q(subject__reads=word) | Q(description__reads=word))
    counts = count_documents_by_chatbot(member)
    rows = [
        ChatbotRow(one, counts[one.pk], unanswered.get(one.pk, 0))
        for one in found.order_by(*_ORDERS.get(sort, _ORDERS["used"]))
    ]
    return ChatbotOverview(
        [row for row in rows if row.chatbot.archived is None],
        [row for row in rows if row.chatbot.archived is not None],
        every.count(),
    )


def list_templates(member: Membership) -> QuerySet[Chatbot]:
    """The templates of the school by name, with the name of whoever offers each and its number of library documents."""
    documents = Count("school_links", filter=Q(school_links__document__is_published=True))
    offered = Chatbot.objects.templates_for(member).order_by("name", "pk")
    return offered.annotate(owner_name=name_in_school("owner"), library_count=documents)


def set_archived(chatbot: Chatbot, member: Membership, *, is_archived: bool) -> None:
    """Fold a chatbot away in the member's own list, or bring it back. Nobody else's list changes."""
    at = timezone.now() if is_archived else None
    if chatbot.owner_id == member.user_id:
        Chatbot.objects.filter(pk=chatbot.pk).update(archived_at=at)
    else:
        Collaborator.objects.filter(chatbot=chatbot, membership=member.pk).update(archived_at=at)


def _with_facts(chatbots: Any, member: Membership) -> Any:
    """Annotated for the list. Of conversations only the member's own count."""
    own = Q(chats__deleted_at=None, chats__participant__user=member.user_id)
    return (
        chatbots.described_for(member)
        .annotate(
            owner_name=name_in_school("owner"),
            chat_count=Count("chats", filter=own, distinct=True),
            colleagues=Count("collaborators", distinct=True),
            last_asked_at=Max("chats__updated_at", filter=own),
        )
        .annotate(used_at=Coalesce("last_asked_at", "created_at"))
    )
