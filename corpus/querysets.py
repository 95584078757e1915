"""Doors to documents, and the scopes of chunks that a search is run over."""

from __future__ import annotations

from typing import Self, TypeVar

from django.db import models
from django.db.models import F, Q

from corpus.models import Status
from schools.querysets import SchoolQuerySet

M = TypeVar("M", bound=models.Model)


class DocumentQuerySet(SchoolQuerySet[M]):
    def unfinished(self) -> Self:
        """Documents whose newest version waits to be indexed, or was being indexed when the worker died."""
        return self.filter(status__in=(Status.QUEUED, Status.INDEXING)).order_by("updated_at", "pk")

    def answering(self) -> Self:
        """Documents that have chunks in place, whatever becomes of a newer version."""
        return self.filter(answering_version__isnull=False)

    def behind(self) -> Self:
        """Documents whose newest version does not answer yet."""
        return self.filter(Q(answering_version__isnull=True) | ~Q(answering_version=F("version")))

    def of_another_model(self, name: str) -> Self:
        """Ready documents with chunks that this embedding model cannot search: they are silent until indexed anew."""
        chunks = self.model._meta.get_field("chunks").related_model._default_manager  # type: ignore[union-attr]
        foreign = chunks.filter(document=models.OuterRef("pk")).exclude(embedding_model=name)
        return self.filter(models.Exists(foreign), status=Status.READY)

    def with_content(self, content_hash: str) -> Self:
        """Documents whose newest version is this very file (D7)."""
        return self.filter(versions__content_hash=content_hash, versions__number=F("version"))


class ChunkQuerySet(SchoolQuerySet[M]):
    """Chunks of one school; a search names their documents and the embedding model besides."""
