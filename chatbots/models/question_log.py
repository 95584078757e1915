"""The question log, which a school keeps for review."""

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

from chatbots.models.full_text import WithoutWords, build_text_vector
from chatbots.models.message import Channel, Mode
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class Outcome(models.TextChoices):
    """How a question ended."""

    ANSWERED = "answered", "Answered"
    REFUSED = "refused", "Refused"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


class QuestionLogQuerySet(SchoolQuerySet["QuestionLogEntry"]):
    def for_member(self, member: Membership) -> Self:
        """Admins see their school's log; other members see nothing."""
        return self.kept().filter(school=member.school_id) if member.is_admin else self.none()

    def kept(self) -> Self:
        """Without entries that are due to be erased in the next night."""
        return self.filter(asked_at__gte=timezone.now() - timedelta(days=settings.LECTERN_QUESTION_LOG_DAYS))


class QuestionLogEntry(SchoolOwned):
    """A question and its answer, kept for the school's review (ADR 15).

    It has no foreign key and names no person; it names the chatbot only if the teacher agrees. It is kept for a fixed
    time, even if the conversation is erased.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)  # a UUIDv7 would reveal the time
    message_id = models.UUIDField(unique=True, help_text="not a foreign key: the answer may be erased earlier")
    asked_at = models.DateTimeField(help_text="only the day is shown")
    chatbot_id = models.UUIDField(null=True, blank=True, help_text="only if the chatbot is named")
    chatbot_name = models.CharField(max_length=100, blank=True)
    channel = models.CharField(max_length=10, choices=Channel)
    outcome = models.CharField(max_length=10, choices=Outcome)
    mode = models.CharField(max_length=10, choices=Mode, blank=True)
    model = models.CharField(max_length=120, blank=True, help_text="What wrote the answer")
    question = models.TextField()
    answer = models.TextField(blank=True, help_text="empty if it uses the teacher's own documents")
    draws_on_own = models.BooleanField(
        default=False, help_text="the answer or an earlier one used a personal document or a selected text"
    )
    citations = models.JSONField(default=list, blank=True, help_text="of the library: see chatbots.question_log.store")
    selection_hash = models.CharField(max_length=64, blank=True, default="")
    search = models.GeneratedField(
        expression=build_text_vector("question", "answer"), output_field=SearchVectorField(), db_persist=True
    )

    objects = WithoutWords.from_queryset(QuestionLogQuerySet)()

    class Meta:
        verbose_name_plural = "question log entries"
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
