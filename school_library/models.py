"""The school library: read by every member, changed by admins."""

from typing import Self

from django.db import models

from corpus.models import Chunk, Document, ReadingReport, Status, Version
from corpus.querysets import DocumentQuerySet
from schools.constraints import SameSchool
from schools.models import Membership
from schools.querysets import SchoolQuerySet


class SchoolDocumentQuerySet(DocumentQuerySet["SchoolDocument"]):
    def for_member(self, member: Membership) -> Self:
        """The documents of the member's school: all for admins, published ones for teachers."""
        documents = self.filter(school=member.school_id)
        return documents if member.is_admin else documents.published()

    def published(self) -> Self:
        """Documents that are not withdrawn."""
        return self.filter(is_published=True)


class SchoolDocument(Document):
    """A document of the library of a school."""

    TAGS = ("description", "subject", "grade")
    FLAGS = ("is_published",)

    description = models.TextField(blank=True, max_length=2000)
    grade = models.CharField(max_length=40, blank=True)
    is_published = models.BooleanField(
        "published", default=True, help_text="Withdrawn documents are gone from answers at once."
    )

    objects = SchoolDocumentQuerySet.as_manager()

    class Meta(Document.Meta):
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="school_document_school"),
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="school_document_status"),
        ]
        indexes = [
            models.Index(
                fields=["school", "updated_at"],
                condition=models.Q(status__in=(Status.QUEUED, Status.INDEXING)),
                name="school_document_unfinished",
            ),
            models.Index(fields=["attempted_at"], name="school_document_attempt"),
            models.Index(fields=["school", "attempted_at"], name="school_document_turn"),
        ]


class SchoolVersion(Version):
    document = models.ForeignKey(SchoolDocument, on_delete=models.CASCADE, related_name="versions", db_constraint=False)

    objects = SchoolQuerySet["SchoolVersion"].as_manager()

    class Meta(Version.Meta):
        constraints = [
            SameSchool(field="document", name="school_version_document"),
            models.UniqueConstraint(fields=["document", "number"], name="school_version_number"),
        ]


class SchoolChunk(Chunk):
    document = models.ForeignKey(
        SchoolDocument, on_delete=models.CASCADE, related_name="chunks", db_constraint=False, db_index=False
    )

    objects = SchoolQuerySet["SchoolChunk"].as_manager()

    class Meta(Chunk.Meta):
        constraints = [
            SameSchool(field="document", name="school_chunk_document"),
            models.UniqueConstraint(fields=["document", "position"], name="school_chunk_position"),
        ]
        indexes = [models.Index(fields=["document", "block"], name="school_chunk_block")]


class SchoolReadingReport(ReadingReport):
    """A report on a library document."""

    document = models.ForeignKey(SchoolDocument, on_delete=models.CASCADE, related_name="reports", db_constraint=False)

    objects = SchoolQuerySet["SchoolReadingReport"].as_manager()

    class Meta(ReadingReport.Meta):
        constraints = [SameSchool(field="document", name="school_report_document")]
