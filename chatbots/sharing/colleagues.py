"""Share a chatbot with colleagues of the same school, and offer it to the school as a template."""

from __future__ import annotations

from django.db import transaction

from chatbots.models import SHARED_ROLES, Chatbot, ChatbotRole, Collaborator
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, MembershipQuerySet


class SharingRefused(Exception):
    """The chatbot cannot be shared so; the message says why."""


def list_candidates(chatbot: Chatbot) -> MembershipQuerySet:
    """The colleagues with whom it is not shared yet, by name."""
    shared = Collaborator.objects.filter(chatbot=chatbot).values("membership")
    colleagues = Membership.objects.joined().filter(school=chatbot.school_id, user__is_active=True)
    return colleagues.exclude(user=chatbot.owner_id).exclude(pk__in=shared).select_related("user").named()


@transaction.atomic
def share_with(*, chatbot: Chatbot, owner: Membership, colleague: Membership, role: ChatbotRole) -> Collaborator:
    """Share a chatbot of `owner` with a colleague, or change what the colleague may do. Raises SharingRefused."""
    assert role in SHARED_ROLES
    if chatbot.owner_id != owner.user_id or chatbot.is_tutor:
        raise SharingRefused("Only the owner of a chatbot shares it.")
    # Locked, so that the chatbot is not deleted and the colleague does not leave meanwhile.
    kept = Chatbot.objects.kept().select_for_update(no_key=True).filter(pk=chatbot.pk, school=owner.school_id).first()
    members = Membership.objects.joined().select_for_update(no_key=True)
    member = members.filter(pk=colleague.pk, school=owner.school_id).first()
    if kept is None or member is None:
        raise SharingRefused("The chatbot or the colleague is not there any more.")
    if member.user_id == chatbot.owner_id:
        raise SharingRefused("This chatbot is yours already.")
    row, _ = Collaborator.objects.update_or_create(
        chatbot=chatbot,
        membership=member,
        defaults={"role": role},
        create_defaults={"role": role, "school_id": chatbot.school_id, "shared_by": owner},
    )
    _record(Action.CHATBOT_SHARED, chatbot, **{"with": member.name, "as": role})
    return row


@transaction.atomic
def set_colleague_role(collaborator: Collaborator, role: ChatbotRole) -> None:
    """Change what a colleague may do."""
    assert role in SHARED_ROLES
    Collaborator.objects.filter(pk=collaborator.pk).update(role=role)
    collaborator.role = role
    _record(Action.CHATBOT_SHARED, collaborator.chatbot, **{"with": collaborator.membership.name, "as": role})


@transaction.atomic
def stop_sharing(collaborator: Collaborator) -> None:
    """End it at once: the colleague's conversations with it are hidden, and come back if it is shared again."""
    _record(Action.CHATBOT_UNSHARED, collaborator.chatbot, **{"with": collaborator.membership.name})
    collaborator.delete()  # `chatbots.sharing.revocation` stops the answers


@transaction.atomic
def set_template(chatbot: Chatbot, *, is_template: bool) -> None:
    """Offer a chatbot to the school as a template, or end that. Copies that were made stay."""
    Chatbot.objects.filter(pk=chatbot.pk).update(is_template=is_template)
    _record(Action.CHATBOT_TEMPLATE, chatbot, offered="yes" if is_template else "no")


def _record(action: Action, chatbot: Chatbot, **detail: str) -> None:
    record(action, school=chatbot.school_id, subject=chatbot, label=chatbot.public_name, detail=detail)
