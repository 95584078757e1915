"""Colleagues with whom a chatbot is shared."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class ChatbotRole(models.TextChoices):
    """What a person may do with a chatbot. Only its owner shares, deletes and erases it."""

    OWNER = "owner", "Owner"
    EDITOR = "editor", "May ask and change it"
    READER = "reader", "May ask"


SHARED_ROLES = (ChatbotRole.READER, ChatbotRole.EDITOR)


class CollaboratorQuerySet(SchoolQuerySet["Collaborator"]):
    def for_owner(self, member: Membership) -> Self:
        """Those of the member's own chatbots that are not deleted."""
        return self.filter(
            school=member.school_id,
            chatbot__owner=member.user_id,
            chatbot__deleted_at__isnull=True,
        )


class Collaborator(SchoolOwned):
    """A colleague who may use a chatbot of another teacher of the school (ADR 26).

    The row ends with either membership, so whoever leaves the school loses access, and so do the colleagues of an
    owner who leaves.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chatbot = models.ForeignKey(
        "chatbots.Chatbot", on_delete=models.CASCADE, related_name="collaborators", db_constraint=False
    )
    membership = models.ForeignKey(
        Membership, on_delete=models.CASCADE, related_name="shared_chatbots", db_constraint=False
    )
    shared_by = models.ForeignKey(
        Membership, on_delete=models.CASCADE, related_name="+", db_constraint=False, help_text="the owner"
    )
    role = models.CharField(max_length=8, choices=[(role.value, role.label) for role in SHARED_ROLES])
    archived_at = models.DateTimeField(null=True, blank=True, help_text="when this colleague archived the chatbot")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = CollaboratorQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            SameSchool(field="chatbot", name="collaborator_chatbot"),
            SameSchool(field="membership", name="collaborator_membership"),
            SameSchool(field="shared_by", name="collaborator_shared_by"),
            models.UniqueConstraint(fields=["chatbot", "membership"], name="collaborator_once"),
            models.CheckConstraint(
                condition=Q(role__in=[role.value for role in SHARED_ROLES]), name="collaborator_role"
            ),
            models.CheckConstraint(condition=~Q(membership=F("shared_by")), name="collaborator_not_the_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.membership.name}: {self.get_role_display()}"
