"""What a document, one version of it and a chunk are, wherever they stand.

Abstract: a teacher's documents and a school's library are separate tables on this one base (ADR 1), so that no
query can mix them and each carries the rules of its own owner.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.core.files.storage import default_storage
from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from corpus.numbering import label
from corpus.page_ranges import named_pages
from schools.models import SchoolOwned

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

MOST_IN_BLOCK = 32
"""Chunks in a block at most, so that a search can find a block by the positions around one of its chunks."""


class Status(models.TextChoices):
    QUEUED = "queued", "Waiting"
    INDEXING = "indexing", "Indexing"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"


class Stage(models.TextChoices):
    READING = "reading", "Reading the file"
    RECOGNISING = "scans", "Recognising text"
    EMBEDDING = "embedding", "Learning the passages"


def stored_name(version: Version, filename: str) -> str:
    """Where a version's file is kept: never under a name that a person chose."""
    return f"{version.school_id}/{version.document_id}/{version.number}-{uuid_utils.compat.uuid4()}"


MAX_ATTEMPTS = 3
"""So often a version is tried when the fault is ours, be it an error or a worker that died."""


def retry_delay(attempts: int) -> timedelta:
    """How long a document rests after so many attempts without result: 15 seconds, then two minutes.

    An outage that is over by then costs nobody their document. `LECTERN_RETRY_SECONDS` is the first one.
    """
    return timedelta(seconds=settings.LECTERN_RETRY_SECONDS * 8 ** (attempts - 1))


_LANGUAGE = "PostgreSQL's text search configuration, found out when the document is indexed"


class Document(SchoolOwned):
    """A document as people know it: a title, its newest version, and the version that answers at the moment.

    `version` is the number of the newest upload, `answering_version` that of the chunks in place (None before the
    first indexing). They differ while an update is being indexed and after one that failed: the old one answers.
    """

    PLACE: ClassVar[tuple[str, ...]] = ("school_id",)
    """What makes two documents lie in the same place: where twins are looked for, and who takes turns."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    title = models.CharField(max_length=200)
    version = models.PositiveIntegerField(default=1, editable=False)
    answering_version = models.PositiveIntegerField(null=True, blank=True, editable=False)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED, editable=False)
    stage = models.CharField(max_length=10, choices=Stage, blank=True, editable=False)
    progress_done = models.PositiveIntegerField(default=0, editable=False)
    progress_total = models.PositiveIntegerField(default=0, editable=False)
    failure_reason = models.TextField(blank=True, editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    attempted_at = models.DateTimeField(null=True, editable=False, help_text="When it was last taken up")
    chunk_count = models.PositiveIntegerField(default=0, editable=False)
    language = models.CharField(max_length=20, default="english", editable=False, help_text=_LANGUAGE)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    if TYPE_CHECKING:
        chunks: RelatedManager[Any]
        versions: RelatedManager[Any]

    class Meta:
        abstract = True
        ordering = ["title", "id"]

    def __str__(self) -> str:
        return self.title

    @property
    def location(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.PLACE)

    @property
    def is_pending(self) -> bool:
        return self.status in (Status.QUEUED, Status.INDEXING)

    @property
    def next_attempt_at(self) -> datetime | None:
        """When it is tried again after a fault of ours; None while it waits for its first attempt, or at work."""
        if self.status != Status.QUEUED or not self.attempts:
            return None
        return self.updated_at + retry_delay(self.attempts)

    @property
    def is_resting(self) -> bool:
        """Whether it is left alone for a while after a fault of ours."""
        return self.next_attempt_at is not None and self.next_attempt_at > timezone.now()

    @property
    def may_be_retried(self) -> bool:
        """Whether it failed by a fault of ours, so that another attempt may end differently; else the file decides."""
        return self.status == Status.FAILED and self.attempts >= MAX_ATTEMPTS

    @property
    def is_updating(self) -> bool:
        """Whether a new version is on its way while an older one answers, so that there is one to go back to."""
        return self.is_pending and self.answering_version not in (None, self.version)

    @property
    def is_unreadable(self) -> bool:
        """Whether nothing of it answers, nor will before somebody does something."""
        return self.answering_version is None and not self.is_pending

    @property
    def last_number(self) -> int:
        """The highest number that a version was ever given, also one that was cancelled."""
        last: int = self.versions.aggregate(last=models.Max("number"))["last"]
        return last

    @property
    def newest(self) -> Version:
        """The newest upload, whether it answers yet or not."""
        found: Version = self.versions.get(number=self.version)
        return found


class Version(SchoolOwned):
    """One upload of a document: the file, who brought it and when, and what indexing made of it.

    Of one that was cancelled the row stays, without a file. Its number is never given again: a worker that is still
    busy with it must not take a later version for its own.
    """

    number = models.PositiveIntegerField()
    file = models.FileField(upload_to=stored_name, storage=default_storage, max_length=200)
    filename = models.CharField(max_length=255)
    media_type = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(help_text="bytes")
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the file")
    pages = models.PositiveIntegerField(null=True, blank=True)
    notes = models.JSONField(default=list, blank=True, help_text="What was odd, such as pages without text")
    recognised_pages = ArrayField(
        models.PositiveIntegerField(), default=list, blank=True, help_text="Scans whose text was recognised"
    )
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    indexed_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True, help_text="Taken back before it answered")
    chunks_kept = models.PositiveIntegerField(null=True, blank=True)
    chunks_added = models.PositiveIntegerField(null=True, blank=True)
    chunks_removed = models.PositiveIntegerField(null=True, blank=True)

    if TYPE_CHECKING:
        document_id: Any

    class Meta:
        abstract = True
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"{self.filename} (version {self.number})"

    @property
    def recognised(self) -> str:
        """Its recognised pages in words, empty where there are none."""
        return named_pages(self.recognised_pages) if self.recognised_pages else ""


class Installation(models.Model):
    """What is true of the whole installation, in its one row: which embedding model answers, and the move to another.

    A model is the setting that finds it, the runtime that "auto" turned out to be, and the name that chunks carry.
    Without a target nothing is on the move.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    model = models.CharField(max_length=500, blank=True, help_text="Empty for the packaged one")
    runtime = models.CharField(max_length=10)
    name = models.CharField(max_length=120)
    target_model = models.CharField(max_length=500, blank=True)
    target_runtime = models.CharField(max_length=10, blank=True)
    target_name = models.CharField(max_length=120, blank=True)
    steps = models.PositiveBigIntegerField(default=0, help_text="How many spells of work have begun")
    progress_done = models.PositiveBigIntegerField(default=0)
    progress_total = models.PositiveBigIntegerField(default=0)
    problem = models.TextField(blank=True, help_text="Why the worker does not get on")
    started_at = models.DateTimeField(null=True, blank=True)
    worked_at = models.DateTimeField(null=True, blank=True, help_text="When the worker was last seen at it")
    switched_at = models.DateTimeField(null=True, blank=True, help_text="When the answering model took over")

    class Meta:
        verbose_name = verbose_name_plural = "embedding model"
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="installation_one_row")]

    def __str__(self) -> str:
        return self.name


class NextVector(SchoolOwned):
    """The vector of a chunk by the model that the installation moves to, beside the chunk until the switch.

    A table of its own, without a key to the chunk: chunks stay as slim as searches want them, and it is emptied at
    once. Chunks that are deleted meanwhile leave theirs behind until then.
    """

    chunks = models.CharField(max_length=60, help_text="Label of the chunk's model")
    chunk_id = models.BigIntegerField()
    embedding = HalfVectorField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chunks", "chunk_id"], name="next_vector_once")]

    def __str__(self) -> str:
        return f"{self.chunks} {self.chunk_id}"


class Chunk(SchoolOwned):
    """A piece of text that fits the embedder. Chunks do not overlap: a block is its chunks in order.

    `block` numbers the enclosing section (or part of one, at most 1024 tokens) within the document. Only chunks of
    the answering version exist, so a search sees either all of one version or all of another.
    """

    position = models.PositiveIntegerField()
    block = models.PositiveIntegerField()
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    line_start = models.PositiveIntegerField(null=True, blank=True)
    line_end = models.PositiveIntegerField(null=True, blank=True)
    file_path = models.TextField(blank=True, default="", help_text="in a textbook of several files")
    numbers = ArrayField(
        models.TextField(), default=list, blank=True, help_text="of a textbook: what each of its headings is"
    )
    text = models.TextField()
    tokens = models.PositiveIntegerField()
    content_hash = models.CharField(
        max_length=64, help_text="SHA-256 of what was embedded: headings and text"
    )
    embedding = HalfVectorField(help_text="unit length; its dimensions are those of the model")
    embedding_model = models.CharField(max_length=120)
    language = models.CharField(max_length=20, default="english", help_text=_LANGUAGE)
    search = SearchVectorField(help_text="stems of title, headings and text, without positions")

    class Meta:
        abstract = True
        ordering = ["document_id", "position"]

    def __str__(self) -> str:
        return f"{self.text[:60]}…"

    @property
    def lines(self) -> tuple[int, int] | None:
        return (self.line_start, self.line_end) if self.line_start and self.line_end else None

    @property
    def label(self) -> str:
        """As it is cited: “Module 1, Chapter 2, Section 3”; empty where it is in no textbook."""
        return label(self.numbers)
