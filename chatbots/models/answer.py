"""Rows that belong to an answer: the selected text, the prompt and the feedback."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models.message import Message
from schools.constraints import SameSchool
from schools.models import SchoolOwned
from schools.querysets import SchoolQuerySet


class Selection(SchoolOwned):
    """A text that a user has selected. The question is answered from it alone.

    It belongs to the first answer; later answers to the question use the same text. It is a table of its own for the
    same reason as PromptRecord.
    """

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="selection", db_constraint=False)
    text = models.TextField()
    language = models.CharField(max_length=2, help_text="language of the answer: the chatbot's, else the text's")
    document_id = models.UUIDField(null=True, blank=True, db_index=True, help_text="document that contains the text")
    document_title = models.CharField(max_length=200, blank=True)
    version = models.PositiveIntegerField(null=True, blank=True)

    objects = SchoolQuerySet["Selection"].as_manager()

    class Meta:
        constraints = [SameSchool(field="message", name="selection_message")]

    def __str__(self) -> str:
        return self.document_title or self.text[:60]


class PromptRecord(SchoolOwned):
    """The exact prompt of an answer; none if no model was asked. It is a table of its own because these long texts
    are seldom read, while lists of messages are read often."""

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="prompt_record", db_constraint=False)
    turns = models.JSONField(help_text="role and content of each message")
    answerer = models.CharField(max_length=120, help_text="the model")
    times = models.PositiveSmallIntegerField(default=1, help_text="calls; a second one follows wrong citations")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["PromptRecord"].as_manager()

    class Meta:
        constraints = [SameSchool(field="message", name="prompt_record_message")]

    def __str__(self) -> str:
        return f"Prompt for {self.answerer}"


class FeedbackVerdict(models.TextChoices):
    UP = "up", "Helpful"
    DOWN = "down", "Not helpful"


class Reason(models.TextChoices):
    """Why an answer is not helpful."""

    CITATION = "citation", "Wrong citation"
    UNFOUNDED = "unfounded", "Not in the sources"
    UNCLEAR = "unclear", "Unclear"
    INCOMPLETE = "incomplete", "Incomplete"
    OTHER = "other", "Something else"


class Feedback(SchoolOwned):
    """The asker's rating of an answer. The school's admins see totals only."""

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="feedback", db_constraint=False)
    verdict = models.CharField(max_length=4, choices=FeedbackVerdict)
    reason = models.CharField(max_length=12, choices=Reason, blank=True)
    words = models.CharField(max_length=500, blank=True)
    given_at = models.DateTimeField(auto_now=True)

    objects = SchoolQuerySet["Feedback"].as_manager()

    class Meta:
        verbose_name_plural = "feedback"
        constraints = [
            SameSchool(field="message", name="feedback_message"),
            models.CheckConstraint(condition=Q(verdict__in=FeedbackVerdict.values), name="feedback_verdict"),
            models.CheckConstraint(
                condition=Q(verdict=FeedbackVerdict.DOWN, reason__in=["", *Reason.values]) | Q(reason="", words=""),
                name="feedback_reason",
            ),
        ]

    def __str__(self) -> str:
        return (
            f"{self.get_verdict_display()}: {self.get_reason_display()}" if self.reason else self.get_verdict_display()
        )
