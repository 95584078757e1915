"""Querysets of documents and chunks."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self, TypeVar
from uuid import UUID

from django.db import models, transaction
from django.db.models import F, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from corpus.models import Document, Status
from corpus.retry_backoff import MAX_ATTEMPTS, retry_delay
from schools.querysets import SchoolQuerySet

M = TypeVar("M", bound=Document)
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class IndexingTurn(NamedTuple):
    """An owner with documents that are due. Sorts in the order of turns: who was never served comes first."""

    school_served: datetime  # when the last attempt for the school began; _NEVER if there was none
    served: datetime  # the same for the owner
    oldest: datetime  # since when the oldest document waits
    owner: tuple[Any, ...]  # the values of OWNER_FIELDS


class DocumentQuerySet(SchoolQuerySet[M]):
    """Documents of one kind."""

    def unfinished(self) -> Self:
        """Documents whose newest version is queued or being indexed, also by a worker that has died."""
        return self.filter(status__in=(Status.QUEUED, Status.INDEXING)).order_by("updated_at", "pk")

    def due(self) -> Self:
        """Unfinished documents without those that wait for their retry delay.

        The delay counts from the last update, so it also applies after the death of a worker. After the last attempt
        there is no delay: the document is only marked as failed.
        """
        now = timezone.now()
        due = Q(attempts=0) | Q(attempts__gte=MAX_ATTEMPTS)
        for attempts in range(1, MAX_ATTEMPTS):
            due |= Q(attempts=attempts, updated_at__lte=now - retry_delay(attempts))
        return self.unfinished().filter(due)

    def indexing_turns(self) -> list[IndexingTurn]:
        """The owners with documents that are due, in no order.

        The query costs two index look-ups for each owner, however many documents wait.
        """
        fields = self.model.OWNER_FIELDS
        rows = (
            self.due()
            .order_by()
            .values(*fields)
            .annotate(oldest=Min("updated_at"))
            .annotate(school_served=self._last_attempt(fields[:1]), served=self._last_attempt(fields))
        )
        return [
            IndexingTurn(row["school_served"], row["served"], row["oldest"], tuple(row[name] for name in fields))
            for row in rows
        ]

    def of_owner(self, owner_key: tuple[object, ...]) -> Self:
        """Documents of one owner: of a school, or of a person in a school."""
        return self.filter(**dict(zip(self.model.OWNER_FIELDS, owner_key, strict=True)))

    def _last_attempt(self, fields: tuple[str, ...]) -> Coalesce:
        same: dict[str, object] = {name: OuterRef(name) for name in fields}
        attempts = self.model.rows().filter(attempted_at__isnull=False, **same)
        return Coalesce(Subquery(attempts.order_by("-attempted_at").values("attempted_at")[:1]), _NEVER)

    def latest_first(self) -> Self:
        """Sorted by the newest upload, of a document or of a version."""
        return self.alias(uploaded_at=Max("versions__created_at")).order_by("-uploaded_at", "-pk")

    def list_values(self, tag: str) -> list[str]:
        """The distinct values of a tag, such as "subject", sorted. Those that differ only in case count once."""
        values = self.exclude(**{tag: ""}).order_by(tag).values_list(tag, flat=True)
        return list({value.casefold(): value for value in values.distinct()}.values())

    def get_spelling(self, subject: str) -> str:
        """A subject as these documents spell it already, whatever the case; else as it is typed."""
        subject = " ".join(subject.split())
        same = self.filter(subject__iexact=subject).order_by("created_at", "pk")
        return same.values_list("subject", flat=True).first() or subject

    def file_under(self, subject: str, keys: Collection[UUID]) -> str:
        """Give those of these documents a subject that have the keys. Returns it as it is spelt now.

        If one of them has it in another spelling, that is changed in all of these documents.
        """
        subject, chosen = " ".join(subject.split()), self.filter(pk__in=keys)
        with transaction.atomic():
            if chosen.filter(subject__iexact=subject).exclude(subject=subject).exists():
                self.filter(subject__iexact=subject).update(subject=subject)
            subject = self.get_spelling(subject)
            chosen.update(subject=subject)
        return subject

    def searchable(self) -> Self:
        """Documents that have an answering version."""
        return self.filter(answering_version__isnull=False)

    def of_other_models(self, *names: str) -> Self:
        """Ready documents with chunks of other embedding models than these. No search finds such chunks."""
        chunks = self.model._meta.get_field("chunks").related_model._default_manager  # type: ignore[union-attr]
        foreign = chunks.filter(document=models.OuterRef("pk")).exclude(embedding_model__in=names)
        return self.filter(models.Exists(foreign), status=Status.READY)

    def with_content(self, content_hash: str) -> Self:
        """Documents whose newest version has the file with this SHA-256 (D7)."""
        return self.filter(versions__content_hash=content_hash, versions__number=F("version"))
