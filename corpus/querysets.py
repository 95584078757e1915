"""Doors to documents, and the scopes of chunks that a search is run over."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, Self, TypeVar

from django.db import models
from django.db.models import F, Min, OuterRef, Q, Subquery
from django.utils import timezone

from corpus.models import MAX_ATTEMPTS, Status, retry_delay
from schools.querysets import SchoolQuerySet

M = TypeVar("M", bound=models.Model)


class IndexingTurn(NamedTuple):
    """A place with documents that are due. Sorts by whose turn it is: what was never taken up comes first."""

    school_served: float  # when a document of its school was last taken up, in seconds; 0 for never
    served: float  # the same of the place itself
    oldest: datetime  # since when the oldest of them waits
    place: tuple[Any, ...]


class DocumentQuerySet(SchoolQuerySet[M]):
    def unfinished(self) -> Self:
        """Documents whose newest version waits to be indexed, or was being indexed when the worker died."""
        return self.filter(status__in=(Status.QUEUED, Status.INDEXING)).order_by("updated_at", "pk")

    def due(self) -> Self:
        """Unfinished documents whose turn may come: not those that rest after an attempt without result.

        The rest counts from their last sign of life, so it holds for one whose worker died, too. Of that, the last
        attempt needs none: it is only to be given up.
        """
        now = timezone.now()
        rested = Q(attempts=0) | Q(attempts__gte=MAX_ATTEMPTS)
        for attempts in range(1, MAX_ATTEMPTS):
            rested |= Q(attempts=attempts, updated_at__lte=now - retry_delay(attempts))
        return self.unfinished().filter(rested)

    def turns(self) -> list[IndexingTurn]:
        """The places that have documents that are due, the one first whose school waits longest since its last turn.

        Within a school the person comes first who waits longest. Two look-ups in an index for each place, however
        many documents it has waiting.
        """
        place = self._place
        rows = (
            self.due()
            .order_by()
            .values(*place)
            .annotate(oldest=Min("updated_at"))
            .annotate(school_served=self._last_attempt(place[:1]), served=self._last_attempt(place))
        )
        return sorted(
            IndexingTurn(
                _seconds(row["school_served"]),
                _seconds(row["served"]),
                row["oldest"],
                tuple(row[name] for name in place),
            )
            for row in rows
        )

    def at(self, place: tuple[Any, ...]) -> Self:
        """Documents of one place: of one school, and of one person where documents belong to people."""
        return self.filter(**dict(zip(self._place, place, strict=True)))

    @property
    def _place(self) -> tuple[str, ...]:
        place: tuple[str, ...] = self.model.PLACE  # type: ignore[attr-defined]
        return place

    def _last_attempt(self, fields: tuple[str, ...]) -> Subquery:
        same: dict[str, Any] = {name: OuterRef(name) for name in fields}
        attempts = self.model._default_manager.filter(attempted_at__isnull=False, **same)
        return Subquery(attempts.order_by("-attempted_at").values("attempted_at")[:1])

    def answering(self) -> Self:
        """Documents that have chunks in place, whatever becomes of a newer version."""
        return self.filter(answering_version__isnull=False)

    def behind(self) -> Self:
        """Documents whose newest version does not answer yet."""
        return self.filter(Q(answering_version__isnull=True) | ~Q(answering_version=F("version")))

    def of_another_model(self, *names: str) -> Self:
        """Ready documents with chunks of none of these embedding models: they are silent until indexed anew."""
        chunks = self.model._meta.get_field("chunks").related_model._default_manager  # type: ignore[union-attr]
        foreign = chunks.filter(document=models.OuterRef("pk")).exclude(embedding_model__in=names)
        return self.filter(models.Exists(foreign), status=Status.READY)

    def with_content(self, content_hash: str) -> Self:
        """Documents whose newest version is this very file (D7)."""
        return self.filter(versions__content_hash=content_hash, versions__number=F("version"))


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0


class ChunkQuerySet(SchoolQuerySet[M]):
    """Chunks of one school; a search names their documents and the embedding model besides."""
