"""Personal documents of a teacher in one school. Nobody else can read them, admins included (S3)."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models

from corpus.models import Chunk, Document, ReadingReport, Status, Version
from corpus.querysets import DocumentQuerySet
from schools.constraints import SameSchool
from schools.models import Membership
from schools.querysets import SchoolQuerySet


class PersonalDocumentQuerySet(DocumentQuerySet["PersonalDocument"]):
    def for_member(self, member: Membership) -> Self:
        """The member's own documents."""
        return self.filter(school=member.school_id, owner=member.user_id)


class PersonalDocument(Document):
    """A document of one teacher in one school."""

    OWNER_FIELDS: ClassVar[tuple[str, ...]] = ("school_id", "owner_id")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="personal_documents")

    objects = PersonalDocumentQuerySet.as_manager()

    class Meta(Document.Meta):
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="personal_document_school"),
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="personal_document_status"),
        ]
        indexes = [
            models.Index(
                fields=["school", "owner", "updated_at"],
                condition=models.Q(status__in=(Status.QUEUED, Status.INDEXING)),
                name="personal_document_unfinished",
            ),
            models.Index(fields=["attempted_at"], name="personal_document_attempt"),
            models.Index(fields=["school", "attempted_at"], name="personal_document_school_turn"),
            models.Index(fields=["school", "owner", "attempted_at"], name="personal_document_owner_turn"),
        ]


class PersonalVersion(Version):
    document = models.ForeignKey(
        PersonalDocument, on_delete=models.CASCADE, related_name="versions", db_constraint=False
    )

    objects = SchoolQuerySet["PersonalVersion"].as_manager()

    class Meta(Version.Meta):
        constraints = [
            SameSchool(field="document", name="personal_version_document"),
            models.UniqueConstraint(fields=["document", "number"], name="personal_version_number"),
        ]


class PersonalChunk(Chunk):
    document = models.ForeignKey(
        PersonalDocument, on_delete=models.CASCADE, related_name="chunks", db_constraint=False, db_index=False
    )

    objects = SchoolQuerySet["PersonalChunk"].as_manager()

    class Meta(Chunk.Meta):
        constraints = [
            SameSchool(field="document", name="personal_chunk_document"),
            models.UniqueConstraint(fields=["document", "position"], name="personal_chunk_position"),
        ]
        indexes = [models.Index(fields=["document", "block"], name="personal_chunk_block")]


class PersonalReadingReport(ReadingReport):
    """A report on a personal document."""

    document = models.ForeignKey(
        PersonalDocument, on_delete=models.CASCADE, related_name="reports", db_constraint=False
    )

    objects = SchoolQuerySet["PersonalReadingReport"].as_manager()

    class Meta(ReadingReport.Meta):
        constraints = [SameSchool(field="document", name="personal_report_document")]
