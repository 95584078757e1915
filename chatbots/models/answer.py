"""What hangs on an answer: a selected text, what the model was given, and what its reader thinks of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models.message import Message
from schools.constraints import SameSchool
from schools.models import SchoolOwned
from schools.querysets import SchoolQuerySet


class Selection(SchoolOwned):
    """A text that somebody has selected, to have a question answered from it alone.

    It hangs on the first answer, which stands for the question; every later one is from the same text. A table of its
    own for the reason that PromptRecord has.
    """

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="selection", db_constraint=False)
    text = models.TextField()
    language = models.CharField(max_length=2, help_text="of the answer: the chatbot's, else the text's")
    document_id = models.UUIDField(null=True, blank=True, db_index=True, help_text="that it is from")
    document_title = models.CharField(max_length=200, blank=True)
    version = models.PositiveIntegerField(null=True, blank=True)

    objects = SchoolQuerySet["Selection"].as_manager()

    class Meta:
        constraints = [SameSchool(field="message", name="selection_message")]

    def __str__(self) -> str:
        return self.document_title or self.text[:60]


class PromptRecord(SchoolOwned):
    """What a language model was given for an answer, word for word. A table of its own: lists of messages are read
    often, these long texts seldom. There is none where no model was asked."""

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="prompt_record", db_constraint=False)
    turns = models.JSONField(help_text="role and content of each")
    answerer = models.CharField(max_length=120, help_text="the model")
    times = models.PositiveSmallIntegerField(default=1, help_text="how often it was asked, as its citations were wrong")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["PromptRecord"].as_manager()

    class Meta:
        constraints = [SameSchool(field="message", name="prompt_record_message")]

    def __str__(self) -> str:
        return f"Prompt for {self.answerer}"


class Verdict(models.TextChoices):
    UP = "up", "Helpful"
    DOWN = "down", "Not helpful"


class Reason(models.TextChoices):
    """What is wrong with an answer that is not helpful."""

    CITATION = "citation", "Wrong citation"
    UNFOUNDED = "unfounded", "Not in the sources"
    UNCLEAR = "unclear", "Unclear"
    INCOMPLETE = "incomplete", "Incomplete"
    OTHER = "other", "Something else"


class Feedback(SchoolOwned):
    """What the person who asked thinks of an answer. The school's admins see figures of it only."""

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="feedback", db_constraint=False)
    verdict = models.CharField(max_length=4, choices=Verdict)
    reason = models.CharField(max_length=12, choices=Reason, blank=True)
    words = models.CharField(max_length=500, blank=True)
    given_at = models.DateTimeField(auto_now=True)

    objects = SchoolQuerySet["Feedback"].as_manager()

    class Meta:
        verbose_name_plural = "feedback"
        constraints = [
            SameSchool(field="message", name="feedback_message"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="feedback_verdict"),
            models.CheckConstraint(
                condition=Q(verdict=Verdict.DOWN, reason__in=["", *Reason.values]) | Q(reason="", words=""),
                name="feedback_reason",
            ),
        ]

    def __str__(self) -> str:
        return (
            f"{self.get_verdict_display()}: {self.get_reason_display()}" if self.reason else self.get_verdict_display()
        )
