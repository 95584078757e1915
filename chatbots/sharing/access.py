"""Find a chatbot for what only its owner or its editors may do.

Whoever may not even ask it finds nothing (404); a colleague who may only ask it is refused (403).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied

from chatbots.models import Chatbot, ChatbotRole
from schools.access import must_be_admin
from schools.http import find
from schools.models import Membership

ONLY_OWNER = "Only the owner of this chatbot can do this."
ONLY_EDITORS = "This chatbot is shared with you to ask it. To change it, ask its owner, or make a copy of your own."


def find_own(member: Membership, pk: UUID) -> Chatbot:
    chatbot = find(Chatbot.objects.visible_to(member).select_related("school"), pk)
    if chatbot.owner_id != member.user_id:
        raise PermissionDenied(ONLY_OWNER)
    return chatbot


def find_offered(member: Membership, pk: UUID) -> Chatbot:
    """A chatbot whose offer as a template the member may end: one's own, for an admin every template of the school."""
    template = Chatbot.objects.templates_for(member).filter(pk=pk).first()
    if template is None or template.owner_id == member.user_id:
        return find_own(member, pk)
    must_be_admin(member)
    return template


def find_own_with_deleted(member: Membership, pk: UUID) -> Chatbot:
    """The same, also a deleted one, for deleting and restoring, which may be requested twice."""
    own = Chatbot.objects.for_member_with_deleted(member).filter(pk=pk).first()
    return own or find_own(member, pk)


def find_editable(member: Membership, pk: UUID, *, lock: bool = False) -> Chatbot:
    """A chatbot that the member may change; with `lock`, locked against other changes."""
    chatbots = Chatbot.objects.visible_to(member).described_for(member).select_related("school")
    chatbot: Any = find(chatbots.select_for_update(of=("self",), no_key=True) if lock else chatbots, pk)
    if chatbot.role == ChatbotRole.READER:
        raise PermissionDenied(ONLY_EDITORS)
    found: Chatbot = chatbot
    return found
