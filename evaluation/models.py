"""Test questions of a chatbot and their results."""

from __future__ import annotations

from typing import Any, Self

import uuid_utils.compat
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models.chatbot import Chatbot
from corpus.source_kinds import MAX_KIND_LENGTH
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class OwnChatbotQuerySet(SchoolQuerySet[Any]):
    """Rows of a chatbot, which only its owner may read."""

    def for_member(self, member: Membership) -> Self:
        mine = self.filter(school=member.school_id, chatbot__owner=member.user_id)
        return mine.filter(chatbot__deleted_at__isnull=True)


class TestQuestion(SchoolOwned):
    """A question with the passage that a chatbot’s search should find, or with an expected refusal.

    It has no foreign key to the document and stores the text of the passage, so that it outlives both.
    """

    __test__ = False  # not a pytest class

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="test_questions", db_constraint=False)
    question = models.TextField()
    is_refused = models.BooleanField(default=False, help_text="expected to be refused")
    kind = models.CharField(max_length=MAX_KIND_LENGTH, blank=True)
    document_id = models.UUIDField(null=True, blank=True, db_index=True)
    external_id = models.CharField(
        max_length=2000, blank=True, default="", help_text="id or address of an expected source that is not a document"
    )
    document_title = models.CharField(max_length=200, blank=True)
    excerpt = models.TextField(blank=True, help_text="empty if any passage of the document counts")
    place = models.TextField(blank=True, help_text="location of the passage, for display")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now, help_text="earlier results do not count")

    objects = OwnChatbotQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            SameSchool(field="chatbot", name="test_question_chatbot"),
            models.CheckConstraint(
                condition=Q(is_refused=True, document_id=None, external_id="")
                | Q(is_refused=False, document_id__isnull=False, external_id="")
                | Q(~Q(external_id=""), is_refused=False, document_id=None),
                name="test_question_expects_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return self.question[:60]

    @property
    def origin(self) -> str:
        """The expected document or page, as `Passage.origin`."""
        return str(self.document_id or self.external_id)


class EvaluationRun(SchoolOwned):
    """The results of a chatbot's test questions under one setup. A new run under the same setup replaces it."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="check_runs", db_constraint=False)
    setup = models.JSONField(help_text="weights, places and documents at the time")
    results = models.JSONField(default=dict, help_text="by test question: see evaluation.test_questions")
    ran_at = models.DateTimeField(default=timezone.now)

    objects = OwnChatbotQuerySet.as_manager()

    class Meta:
        ordering = ["-ran_at", "-id"]
        constraints = [SameSchool(field="chatbot", name="check_run_chatbot")]

    def __str__(self) -> str:
        return f"{self.chatbot} on {self.ran_at:%Y-%m-%d}"
