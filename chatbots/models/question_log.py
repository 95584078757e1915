"""What a school keeps of questions and answers for its own review."""

from __future__ import annotations

from datetime import timedelta
from typing import Self
from uuid import uuid4

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models.full_text import WithoutWords, search_vector
from chatbots.models.message import Channel, Mode
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class Outcome(models.TextChoices):
    """How a question ended, in the words of the log."""

    ANSWERED = "answered", "Answered"
    REFUSED = "refused", "Refused"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


class QuestionLogQuerySet(SchoolQuerySet["QuestionLogEntry"]):
    def for_member(self, member: Membership) -> Self:
        """Admins reach what their school still keeps, teachers nothing of it."""
        return self.kept().filter(school=member.school_id) if member.is_admin else self.none()

    def kept(self) -> Self:
        """Without what is to be erased, which may take until the next night."""
        return self.filter(asked_at__gte=timezone.now() - timedelta(days=settings.LECTERN_QUESTION_LOG_DAYS))


class QuestionLogEntry(SchoolOwned):
    """One question with one answer to it, as the school keeps it for its review: ADR 15 says what is in it and why.

    A record of its own that points to nothing: no person, and the chatbot only where its teacher has said so. It stays
    when the conversation is erased, until the school's time for it is over.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)  # other ids tell the time
    message_id = models.UUIDField(unique=True, help_text="of the answer, no key: it may be erased before")
    asked_at = models.DateTimeField(help_text="people are told the day")
    chatbot_id = models.UUIDField(null=True, blank=True, help_text="only of one that is named here")
    chatbot_name = models.CharField(max_length=100, blank=True)
    channel = models.CharField(max_length=10, choices=Channel)
    outcome = models.CharField(max_length=10, choices=Outcome)
    mode = models.CharField(max_length=10, choices=Mode, blank=True)
    model = models.CharField(max_length=120, blank=True, help_text="What wrote the answer")
    question = models.TextField()
    answer = models.TextField(blank=True, help_text="empty where it draws on what is its teacher's own")
    draws_on_own = models.BooleanField(
        default=False, help_text="the answer, or one before it, was given a teacher's own or a selected text"
    )
    citations = models.JSONField(default=list, blank=True, help_text="of the library: see chatbots.question_log.store")
    selection_hash = models.CharField(max_length=64, blank=True, default="")
    search = models.GeneratedField(
        expression=search_vector("question", "answer"), output_field=SearchVectorField(), db_persist=True
    )

    objects = WithoutWords.from_queryset(QuestionLogQuerySet)()

    class Meta:
        ordering = ["-asked_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="logged_outcome"),
            models.CheckConstraint(condition=Q(channel__in=Channel.values), name="logged_channel"),
        ]
        indexes = [
            models.Index(fields=["school", "-asked_at", "-id"], name="logged_by_day"),
            models.Index(fields=["asked_at"], name="logged_old"),
            GinIndex(fields=["search"], name="logged_words"),
        ]

    def __str__(self) -> str:
        return self.question[:60]
