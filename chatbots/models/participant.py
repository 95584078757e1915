"""The people who ask."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.conf import settings
from django.db import models
from django.utils import timezone

from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class ParticipantQuerySet(SchoolQuerySet["Participant"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, user=member.user_id)

    def of(self, member: Membership) -> Participant:
        """The participant of a member, created with the first question."""
        return self.get_or_create(school_id=member.school_id, user_id=member.user_id)[0]


class Participant(SchoolOwned):
    """The owner of conversations in a school. Without a user it is a person without an account.

    It refers to the user and not to the membership, so that people who rejoin a school find their conversations.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="participants", null=True, blank=True
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ParticipantQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="participant_school"),
            models.UniqueConstraint(fields=["school", "user"], name="participant_once"),
        ]

    def __str__(self) -> str:
        return str(self.user) if self.user else "Without an account"
