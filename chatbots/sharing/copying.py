"""Copy a chatbot: one's own, one that is shared, or a template of the school."""

from __future__ import annotations

from django.db import transaction

from chatbots.models import Chatbot, ChatbotSource
from chatbots.services import set_personal_documents, set_school_documents, set_shares
from corpus.search.fusion import reserve_places
from corpus.source_kinds import Participation
from schools.models import Membership

_COPIED = ("description", "instructions", "subject", "language", "kind", "places", "when_unsure")


@transaction.atomic
def copy_chatbot(*, chatbot: Chatbot, member: Membership) -> Chatbot:
    """A copy that belongs to the member, who may copy it.

    It has the settings and the published library documents. Personal documents are linked only where the member owns
    them. It has no conversations, test questions or colleagues, and is no template.
    """
    is_own = chatbot.owner_id == member.user_id
    copy = Chatbot.objects.create(
        school=member.school,
        owner=member.user,
        name=copy_name(chatbot.name) if is_own else chatbot.name,
        **{name: getattr(chatbot, name) for name in _COPIED},
    )
    rows = [
        ChatbotSource(kind=row.kind, participation=row.participation, weight=row.weight)
        for row in chatbot.all_sources()
    ]
    sharing = [row for row in rows if row.weight]
    if not sharing:
        sharing = [row for row in rows if row.source_kind.participation == Participation.SHARES][:1]
        sharing[0].participation, sharing[0].weight = Participation.SHARES, 100
    for row, weight in zip(sharing, reserve_places([row.weight for row in sharing], 100), strict=True):
        row.weight = weight  # what a kind had that is switched off here, others have
    set_shares(chatbot=copy, sources=rows)
    library = chatbot.school_links.values_list("document", flat=True)
    set_school_documents(chatbot=copy, member=member, documents=list(library))
    if is_own:
        own = chatbot.personal_links.values_list("document", flat=True)
        set_personal_documents(chatbot=copy, member=member, documents=list(own))
    return copy


def copy_name(name: str) -> str:
    """The name of a duplicate, within the length of a name."""
    return f"Copy of {name}"[: Chatbot._meta.get_field("name").max_length]
