"""Documents, their versions and chunks, and the embedding model of the installation.

Document, Version and Chunk are abstract. Personal documents and the school library are separate tables (ADR 1), so
that no query mixes them and each has the rules of its owner.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Self
from urllib.parse import urlsplit

import uuid_utils.compat
from django.apps import apps
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.core.files.storage import default_storage
from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from corpus.numbering import label
from corpus.page_ranges import format_pages
from corpus.progress import Progress, time_left
from corpus.retry_backoff import MAX_ATTEMPTS, retry_delay
from schools.models import SchoolOwned

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from corpus.querysets import DocumentQuerySet


def concrete_models(base: type[models.Model]) -> list[Any]:
    """The models of an abstract one in all apps, such as the kinds of Document."""
    return [model for model in apps.get_models() if issubclass(model, base)]


class Status(models.TextChoices):
    """The state of indexing."""

    QUEUED = "queued", "Waiting"
    INDEXING = "indexing", "Indexing"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"


class Stage(models.TextChoices):
    """The current step while a document is being indexed."""

    READING = "reading", "Reading the file"
    RECOGNISING = "scans", "Recognising text"
    EMBEDDING = "embedding", "Indexing the passages"


def stored_name(version: Version, filename: str) -> str:
    """The path of a version's file. It contains nothing that a person chose."""
    return f"{version.school_id}/{version.document_id}/{version.number}-{uuid_utils.compat.uuid4()}"


INTERNAL_ERROR = "Something went wrong on our side"
"""How a message to people begins when the fault is not theirs."""

_TITLE_GIVEN = "By a person or program. Any other title is taken from the file when it is first indexed"
_LANGUAGE = "PostgreSQL's text search configuration, detected by indexing"


class Document(SchoolOwned, Progress):
    """A document: a title, its newest version, and the version that answers.

    `version` is the number of the newest upload, `answering_version` the number of the version whose chunks are
    stored (None before the first indexing). They differ while an update is indexed and after one that failed.
    """

    OWNER_FIELDS: ClassVar[tuple[str, ...]] = ("school_id",)
    """The fields that name the owner. Duplicates are looked for among the documents of one owner."""

    TAGS: ClassVar[tuple[str, ...]] = ("subject",)
    """The texts that describe it, besides its title. A copy keeps them, as it keeps its FLAGS."""

    FLAGS: ClassVar[tuple[str, ...]] = ()

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    title = models.CharField(max_length=200)
    subject = models.CharField(max_length=60, blank=True)
    is_title_given = models.BooleanField(default=False, editable=False, help_text=_TITLE_GIVEN)
    version = models.PositiveIntegerField(default=1, editable=False)
    answering_version = models.PositiveIntegerField(null=True, blank=True, editable=False)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED, editable=False)
    stage = models.CharField(max_length=10, choices=Stage, blank=True, editable=False)
    failure_reason = models.TextField(blank=True, editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    attempted_at = models.DateTimeField(null=True, editable=False, help_text="When the last attempt began")
    chunk_count = models.PositiveIntegerField(default=0, editable=False)
    language = models.CharField(max_length=20, default="english", editable=False, help_text=_LANGUAGE)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    if TYPE_CHECKING:
        chunks: RelatedManager[Any]
        versions: RelatedManager[Any]
        reports: RelatedManager[Any]

    class Meta:
        abstract = True
        ordering = ["title", "id"]

    def __str__(self) -> str:
        return self.title

    @classmethod
    def rows(cls) -> DocumentQuerySet[Self]:
        """All documents of this kind, of all schools."""
        documents: DocumentQuerySet[Self] = cls._default_manager.get_queryset()  # type: ignore[assignment]
        return documents

    @property
    def owner_key(self) -> tuple[object, ...]:
        """The values of OWNER_FIELDS."""
        return tuple(getattr(self, name) for name in self.OWNER_FIELDS)

    @property
    def is_pending(self) -> bool:
        """Whether the newest version waits to be indexed or is being indexed."""
        return self.status in (Status.QUEUED, Status.INDEXING)

    @property
    def next_attempt_at(self) -> datetime | None:
        """When indexing is tried again after an internal error. None before the first attempt and during one."""
        if self.status != Status.QUEUED or not self.attempts:
            return None
        return self.updated_at + retry_delay(self.attempts)

    @property
    def waits_for_retry(self) -> bool:
        """Whether it waits for the delay after an internal error to pass."""
        return self.next_attempt_at is not None and self.next_attempt_at > timezone.now()

    @property
    def can_retry(self) -> bool:
        """Whether it failed by an internal error, so that another attempt may succeed with the same file."""
        return self.status == Status.FAILED and self.attempts >= MAX_ATTEMPTS

    @property
    def is_updating(self) -> bool:
        """Whether a new version is being indexed while an older one answers."""
        return self.is_pending and self.answering_version not in (None, self.version)

    @property
    def is_unreadable(self) -> bool:
        """Whether no version answers and none is being indexed."""
        return self.answering_version is None and not self.is_pending

    @property
    def last_number(self) -> int:
        """The highest version number so far, cancelled versions included."""
        last: int = self.versions.aggregate(last=models.Max("number"))["last"]
        return last

    @property
    def newest(self) -> Version:
        """The newest version, whether it answers yet or not."""
        found: Version = self.versions.get(number=self.version)
        return found


class Version(SchoolOwned):
    """One upload of a document: its file, who uploaded it and when, and the result of indexing.

    A cancelled version keeps its row but not its file. Its number is never used again, so that a worker that still
    works on it does not mistake a later version for its own.
    """

    number = models.PositiveIntegerField()
    file = models.FileField(upload_to=stored_name, storage=default_storage, max_length=200)
    filename = models.CharField(max_length=255)
    media_type = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(help_text="bytes")
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the file")
    web_address = models.CharField(max_length=2000, blank=True, help_text="of a web page that was fetched")
    fetched_at = models.DateTimeField(null=True, blank=True, help_text="When the web page last had this text")
    pages = models.PositiveIntegerField(null=True, blank=True)
    notes = models.JSONField(default=list, blank=True, help_text="Warnings, such as pages without text")
    recognised_pages = ArrayField(
        models.PositiveIntegerField(),
        default=list,
        blank=True,
        help_text="Pages whose text was recognised (OCR)",
    )
    page_labels = ArrayField(
        models.CharField(max_length=20),
        default=list,
        blank=True,
        help_text="Printed numbers of all pages, if they differ from 1, 2, 3",
    )
    marks = ArrayField(
        models.CharField(max_length=84),
        default=list,
        blank=True,
        help_text="Words in “**bold**” and “*italics*” that the text has plain",
    )
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    indexed_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True, help_text="When it was cancelled, before it answered")
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

    def label_of_page(self, page: int | None) -> str:
        """The printed number of a page, "" where it is the usual one."""
        return self.page_labels[page - 1] if page and page <= len(self.page_labels) else ""

    @property
    def host(self) -> str:
        """The site of a web page. Empty for any other version."""
        return urlsplit(self.web_address).netloc

    @property
    def recognised(self) -> str:
        """Its recognised pages in words. Empty if there are none."""
        return format_pages(self.recognised_pages) if self.recognised_pages else ""


class ReadingReport(SchoolOwned):
    """A report that a place in a document was read wrongly, with what was read. It goes with its document."""

    version = models.PositiveIntegerField(help_text="Number of the version")
    place = models.CharField(max_length=300, help_text="Page, or headings")
    text = models.TextField(help_text="As it was read")
    comment = models.TextField(blank=True)
    reported_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        abstract = True
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.place


class Installation(models.Model):
    """The active embedding model of the installation, and the move to another one. The table has one row.

    A model is described by the setting that locates it, the runtime that "auto" was resolved to, and the name that is
    stored with its chunks. `target_name` is empty while no move is under way.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    model = models.CharField(max_length=500, blank=True, help_text="Empty for all-MiniLM-L6-v2")
    runtime = models.CharField(max_length=10)
    name = models.CharField(max_length=120)
    target_model = models.CharField(max_length=500, blank=True)
    target_runtime = models.CharField(max_length=10, blank=True)
    target_name = models.CharField(max_length=120, blank=True)
    steps = models.PositiveBigIntegerField(default=0, help_text="How many steps of the move have begun")
    progress_done = models.PositiveBigIntegerField(default=0)
    progress_total = models.PositiveBigIntegerField(default=0)
    problem = models.TextField(blank=True, help_text="Why the worker makes no progress")
    started_at = models.DateTimeField(null=True, blank=True)
    worked_at = models.DateTimeField(null=True, blank=True, help_text="When the worker last worked on it")
    switched_at = models.DateTimeField(null=True, blank=True, help_text="When the active model was switched to")
    language_model_trial = models.JSONField(default=dict, blank=True, help_text="What `language_model` found")

    class Meta:
        verbose_name = verbose_name_plural = "embedding model"
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="installation_one_row")]

    def __str__(self) -> str:
        return self.name

    @property
    def time_left(self) -> str:
        """About how long the move still takes. Empty without a move, and as long as its pace is not known."""
        return time_left(self.progress_done, self.progress_total, since=self.started_at) if self.target_name else ""


class NextVector(SchoolOwned):
    """The vector of a chunk by the target model of a move, kept until the switch.

    It has a table of its own without a foreign key to the chunk: chunks stay small for searches, and the table can be
    truncated. The vectors of deleted chunks stay until then.
    """

    chunks = models.CharField(max_length=60, help_text="Label of the chunk's model")
    chunk_id = models.BigIntegerField()
    embedding = HalfVectorField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chunks", "chunk_id"], name="next_vector_once")]

    def __str__(self) -> str:
        return f"{self.chunks} {self.chunk_id}"


class Chunk(SchoolOwned):
    """A piece of text that fits the embedder. Chunks do not overlap: joined in order they are the block.

    `block` is the number of the enclosing block, a section or a part of one of at most 1024 tokens. Only the chunks of
    the answering version are stored, so a search sees all of one version or all of another.
    """

    position = models.PositiveIntegerField()
    block = models.PositiveIntegerField()
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    line_start = models.PositiveIntegerField(null=True, blank=True)
    line_end = models.PositiveIntegerField(null=True, blank=True)
    file_path = models.TextField(blank=True, default="", help_text="of the file within a textbook")
    numbers = ArrayField(
        models.TextField(), default=list, blank=True, help_text="of a textbook: the number of each heading"
    )
    purpose = models.CharField(
        max_length=10, blank=True, default="", db_default="", help_text="what it is for: see `text.sections.Purpose`"
    )
    text = models.TextField()
    tokens = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the embedded text (headings and text)")
    embedding = HalfVectorField(help_text="unit length, dimensions of the model")
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
        """First and last line in its file, from 1."""
        return (self.line_start, self.line_end) if self.line_start and self.line_end else None

    @property
    def label(self) -> str:
        """The label to cite it by: “Module 1, Chapter 2, Section 3”. Empty outside of a textbook."""
        return label(self.numbers)
