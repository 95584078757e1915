"""A stored source: a passage as it was when it was read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Self
from urllib.parse import urlencode, urlsplit

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Q
from django.urls import reverse

from chatbots.models.chatbot import filter_reachable
from chatbots.models.message import Message
from corpus.certainty import Level, get_passage_level
from corpus.ingestion.readers.structure import PDF
from corpus.passages import Passage, is_whole
from corpus.reading.locations import describe_location
from corpus.source_kinds import MAX_KIND_LENGTH, SELECTION, SourceKind, get_kind
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet

ADDRESS = r"^(https?://[^\s/]\S*|/([^\s/\\]\S*)?)$"
"""A web address, or a path of this site that no browser reads as another host."""


def can_be_opened(name: str) -> list[models.CheckConstraint]:
    """The constraints of a concrete model: a source has a document and its version, or an address of a known form."""
    return [
        models.CheckConstraint(
            condition=Q(document_id__isnull=False, version__isnull=False)
            | Q(~Q(address="") | Q(kind=SELECTION.value), document_id=None, version=None),
            name=f"{name}_can_be_opened",
        ),
        models.CheckConstraint(condition=Q(address="") | Q(address__regex=ADDRESS), name=f"{name}_address"),
    ]


class SourceSnapshot(SchoolOwned):
    """A passage with where it is from, as it was when it was stored (C5).

    It has no foreign key to the document, so that it can always be shown. A source that is not a document has an
    address, and so has a document that was fetched from the web.
    """

    number = models.PositiveSmallIntegerField(help_text="the n of its [n]")
    kind = models.CharField(max_length=MAX_KIND_LENGTH)
    document_id = models.UUIDField(null=True, blank=True, db_index=True)
    document_title = models.CharField(max_length=200)
    version = models.PositiveIntegerField(null=True, blank=True)
    address = models.CharField(
        max_length=2000,
        blank=True,
        default="",
        help_text="a path of this site, or a web address; empty for a file",
    )
    external_id = models.CharField(max_length=200, blank=True, default="", help_text="id in the external source")
    revision = models.CharField(max_length=100, blank=True, default="")
    read_at = models.DateTimeField(null=True, blank=True, help_text="if it was read on the web")
    media_type = models.CharField(max_length=100, blank=True, default="", help_text="of the version")
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    page_label = models.CharField(
        max_length=20, blank=True, default="", help_text="its printed number, if it is another one"
    )
    line_start = models.PositiveIntegerField(null=True, blank=True)
    line_end = models.PositiveIntegerField(null=True, blank=True)
    file_path = models.TextField(blank=True, default="", help_text="in a textbook of several files")
    label = models.TextField(blank=True, default="", help_text="of a textbook: Module 1, Chapter 2")
    position = models.PositiveIntegerField(default=0, help_text="of the chunk within the document's version")
    excerpt = models.TextField()
    text = models.TextField(help_text="the enclosing section")
    is_recognised = models.BooleanField(default=False, help_text="from a scan: it may contain mistakes")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"[{self.number}] {self.document_title}"

    def get_absolute_url(self) -> str:
        """The page that opens it at its passage."""
        return self._page

    @cached_property
    def _page(self) -> str:
        return reverse(f"{self._meta.app_label}:source", args=[self.pk])

    @property
    def source_kind(self) -> SourceKind:
        return get_kind(self.kind)

    @property
    def named_kind(self) -> SourceKind:
        """The same in words for its reader, as it may be private to somebody else."""
        return self.source_kind

    @property
    def origin(self) -> str:
        """The document or page, as `Passage.origin`."""
        return str(self.document_id or self.external_id or self.address)

    @property
    def drawn_page(self) -> str:
        """The address of its page as it is printed, with the passage marked; empty if it is not from a PDF's page."""
        app, _, page = self.source_kind.page.partition(":")
        if not (page and self.document_id and self.page and self.version and self.media_type == PDF):
            return ""
        wanted = urlencode({"page": self.page, "passage": self.position, "version": self.version})
        return f"{reverse(f'{app}:page', args=[self.document_id])}?{wanted}"

    @property
    def page_can_be_asked(self) -> bool:
        """Whether its kind lets a question be answered from its page alone."""
        return is_whole(self.external_id) and self.source_kind.page_source is not None

    @property
    def host(self) -> str:
        """The host of an external address."""
        return urlsplit(self.address).hostname or ""

    @property
    def leads_away(self) -> bool:
        """Whether it is opened on another site: a document is opened here, wherever it was fetched from."""
        return self.document_id is None and bool(self.host)

    @property
    def where(self) -> str:
        """The location of the passage, such as its page."""
        return describe_location(self)

    @property
    def lines(self) -> tuple[int, int] | None:
        return (self.line_start, self.line_end) if self.line_start and self.line_end else None


def make_snapshot_fields(passage: Passage) -> dict[str, object]:
    """The fields of a SourceSnapshot of this passage, without its number."""
    return {
        "kind": passage.kind.value,
        "document_id": passage.document_id,
        "document_title": passage.document_title[:200],
        "version": passage.version,
        "address": passage.address,
        "external_id": passage.external_id,
        "revision": passage.revision[:100],
        "read_at": passage.read_at,
        "media_type": passage.media_type,
        "heading_path": list(passage.heading_path),
        "page": passage.page,
        "page_label": passage.page_label,
        "line_start": passage.lines[0] if passage.lines else None,
        "line_end": passage.lines[1] if passage.lines else None,
        "file_path": passage.file_path,
        "label": passage.label,
        "position": passage.position,
        "excerpt": passage.excerpt,
        "text": passage.text,
        "is_recognised": passage.is_recognised,
    }


class MessageSourceQuerySet(SchoolQuerySet["MessageSource"]):
    def for_member(self, member: Membership) -> Self:
        mine = self.filter(
            school=member.school_id,
            message__chat__participant__user=member.user_id,
            message__chat__deleted_at__isnull=True,
        )
        return mine.filter(filter_reachable(member, "message__chat__chatbot"))

    def insert(self, rows: Sequence[MessageSource]) -> None:
        """Store new rows by one statement, which is the same for any number of them: PostgreSQL plans it once."""
        table, fields = self.model._meta.db_table, self.model._meta.concrete_fields
        columns = ", ".join(f'"{field.column}"' for field in fields)
        values = [{field.column: vars(row)[field.attname] for field in fields} for row in rows]
        statement = (
            f'INSERT INTO "{table}" ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::"{table}", %s)'  # noqa: S608
        )
        with connection.cursor() as cursor:
            cursor.execute(statement, [json.dumps(values, default=str)])
        for row in rows:
            row._state.adding = False


class MessageSource(SourceSnapshot):
    """A passage that was found for an answer, as it was then. `was_given` says whether the model got it.

    A part of a selected text has a document only if the user named one.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="sources", db_constraint=False)
    also_in = ArrayField(models.CharField(max_length=300), default=list, blank=True)
    relevance = models.FloatField(help_text="unweighted, between 0 and 1")
    certainty = models.FloatField(null=True, blank=True, help_text="that it answers the question, if it was read")
    answer_words = models.TextField(blank=True, default="", help_text="the likeliest answer, as it stands in the text")
    weight = models.PositiveSmallIntegerField(help_text="percent")
    standing = models.JSONField(
        default=dict, blank=True, help_text="how it was ranked: see chatbots.answering.explanations"
    )
    is_cited = models.BooleanField(default=False)
    was_given = models.BooleanField(default=True, help_text="to the model: False if it did not fit its window")

    objects = MessageSourceQuerySet.as_manager()

    class Meta:
        ordering = ["message", "number"]
        constraints = [
            SameSchool(field="message", name="source_message"),
            models.UniqueConstraint(fields=["message", "number"], name="source_number_once"),
            models.CheckConstraint(condition=Q(relevance__gte=0, relevance__lte=1), name="source_relevance"),
            models.CheckConstraint(condition=Q(certainty__gte=0, certainty__lte=1), name="source_certainty"),
            *can_be_opened("source"),
        ]

    @property
    def level(self) -> Level:
        return get_passage_level(self)

    @property
    def named_kind(self) -> SourceKind:
        """Its kind in words for whoever asked."""
        return self.message.name_kind(self.kind)
