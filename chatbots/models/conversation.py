"""Conversations."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Self

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models.chatbot import Chatbot, filter_reachable
from chatbots.models.full_text import WithoutWords, build_text_vector
from chatbots.models.participant import Participant
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from chatbots.models.message import Message


class ChatQuerySet(SchoolQuerySet["Chat"]):
    def for_member(self, member: Membership) -> Self:
        return self.for_member_with_deleted(member).kept()

    def for_member_with_deleted(self, member: Membership) -> Self:
        """For deleting and restoring, which may be requested twice. Only those of chatbots that the member may ask."""
        mine = self.filter(school=member.school_id, participant__user=member.user_id)
        return mine.filter(filter_reachable(member, "chatbot"))

    def kept(self) -> Self:
        return self.filter(deleted_at__isnull=True)

    def deleted(self) -> Self:
        return self.filter(deleted_at__isnull=False)


class Chat(SchoolOwned):
    """A conversation of a participant with a chatbot. Without a chatbot it is about a selected text.

    A deleted conversation is hidden until it is erased (`chatbots.conversations.deletion`).
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chatbot = models.ForeignKey(
        Chatbot, on_delete=models.CASCADE, related_name="chats", null=True, blank=True, db_constraint=False
    )
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="chats", db_constraint=False)
    title = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    search = models.GeneratedField(
        expression=build_text_vector("title"), output_field=SearchVectorField(), db_persist=True
    )

    if TYPE_CHECKING:
        messages: RelatedManager[Message]

    objects = WithoutWords.from_queryset(ChatQuerySet)()

    class Meta:
        verbose_name = "conversation"
        ordering = ["-updated_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="chat_school"),
            SameSchool(field="chatbot", name="chat_chatbot"),
            SameSchool(field="participant", name="chat_participant"),
        ]
        indexes = [
            models.Index(fields=["chatbot", "-updated_at"], name="chat_by_chatbot"),
            models.Index(fields=["deleted_at"], condition=Q(deleted_at__isnull=False), name="chat_deleted"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def day(self) -> date:
        """The local day of the last change, for lists."""
        return timezone.localdate(self.updated_at)

    @property
    def erased_after(self) -> datetime | None:
        return self.deleted_at and self.deleted_at + timedelta(days=settings.LECTERN_KEEP_DELETED_DAYS)
