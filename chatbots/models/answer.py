"""What hangs on an answer: its sources, what the model was given, and what its reader thinks of it."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models.conversation import Message
from corpus.passages import SourceKind
from corpus.reading.locations import location_of
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class MessageSourceQuerySet(SchoolQuerySet["MessageSource"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(
            school=member.school_id,
            message__chat__owner=member.user_id,
            message__chat__deleted_at__isnull=True,
        )


class MessageSource(SchoolOwned):
    """A passage that was found for an answer, as it stood then; the answerer read it unless `was_given` says otherwise.

    No foreign key to the document: the record outlives it, so that an old answer can always be explained (C5).
    A part of a selected text has a document only if the person has said which one it is from.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, related_name="sources", db_constraint=False
    )
    number = models.PositiveSmallIntegerField(help_text="the n of its [n]")
    kind = models.CharField(max_length=10, choices=[(kind.value, kind.label) for kind in SourceKind])
    also_in = ArrayField(models.CharField(max_length=300), default=list, blank=True)
    document_id = models.UUIDField(null=True, blank=True, db_index=True)
    document_title = models.CharField(max_length=200)
    version = models.PositiveIntegerField(null=True, blank=True)
    media_type = models.CharField(max_length=100, blank=True, default="", help_text="of the version")
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    line_start = models.PositiveIntegerField(null=True, blank=True)
    line_end = models.PositiveIntegerField(null=True, blank=True)
    file_path = models.TextField(blank=True, default="", help_text="in a textbook of several files")
    label = models.TextField(blank=True, default="", help_text="of a textbook: Module 1, Chapter 2")
    position = models.PositiveIntegerField(help_text="of the chunk within the document's version")
    excerpt = models.TextField()
    text = models.TextField(help_text="the enclosing section, which the answerer read")
    relevance = models.FloatField(help_text="unweighted, between 0 and 1")
    weight = models.PositiveSmallIntegerField(help_text="percent")
    standing = models.JSONField(
        default=dict, blank=True, help_text="why it has its place: see chatbots.answering.explanations"
    )
    is_cited = models.BooleanField(default=False)
    was_given = models.BooleanField(
        default=True, help_text="to the model: False where it did not fit its window"
    )
    is_recognised = models.BooleanField(default=False, help_text="from a scan: it may contain mistakes")

    has_become = (
        ""  # of the document since, when a page has asked: see chatbots.citations.source_view.tell_changes
    )

    objects = MessageSourceQuerySet.as_manager()

    class Meta:
        ordering = ["message", "number"]
        constraints = [
            SameSchool(field="message", name="source_message"),
            models.UniqueConstraint(fields=["message", "number"], name="source_number_once"),
            models.CheckConstraint(condition=Q(relevance__gte=0, relevance__lte=1), name="source_relevance"),
            models.CheckConstraint(
                condition=Q(document_id__isnull=False, version__isnull=False)
                | Q(kind=SourceKind.SELECTION.value),
                name="source_document",
            ),
        ]

    def __str__(self) -> str:
        return f"[{self.number}] {self.document_title}"

    @property
    def where(self) -> str:
        """Where the passage stood, in the words of the document's format."""
        return location_of(self)

    @property
    def lines(self) -> tuple[int, int] | None:
        return (self.line_start, self.line_end) if self.line_start and self.line_end else None

    @property
    def percent(self) -> int:
        return round(self.relevance * 100)


class Selection(SchoolOwned):
    """A text that somebody has selected, to have a question answered from it alone.

    It hangs on the first answer, which stands for the question; every later one is from the same text. A table of its
    own for the reason that PromptRecord has.
    """

    message = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="selection", db_constraint=False
    )
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

    message = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="prompt_record", db_constraint=False
    )
    turns = models.JSONField(help_text="role and content of each")
    answerer = models.CharField(max_length=120, help_text="the model")
    times = models.PositiveSmallIntegerField(
        default=1, help_text="how often it was asked, as its citations were wrong"
    )
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

    message = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="feedback", db_constraint=False
    )
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
            f"{self.get_verdict_display()}: {self.get_reason_display()}"
            if self.reason
            else self.get_verdict_display()
        )
