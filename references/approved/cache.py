"""What answers of the approved pages, in Django's cache, which is in Redis (A2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core.cache import cache
from django.db import models, transaction

from references.models import KEPT_FOR

FAILED_FOR = timedelta(minutes=15)
"""How long a page that could not be read is not tried again by questions."""


@dataclass(frozen=True)
class CachedPage:
    """The passage of a page that answers, and how it was read. `text` is empty if it could not be read.

    `embedding` is the passage's by the model `embedder`: float32 in the machine's byte order, empty without a model.
    """

    read_at: datetime
    content_hash: str = ""  # SHA-256 of the text
    final_address: str = ""
    title: str = ""
    text: str = ""
    language: str = ""
    embedder: str = ""
    embedding: bytes = b""


def load(pages: Collection[UUID]) -> dict[UUID, CachedPage]:
    """What is cached of these pages, in one round trip."""
    keys = {_key(page): page for page in pages}
    found = cache.get_many(keys) if keys else {}
    return {keys[key]: page for key, page in found.items() if isinstance(page, CachedPage)}


def store(page: UUID, cached: CachedPage, *, seconds: float = KEPT_FOR.total_seconds()) -> None:
    cache.set(_key(page), cached, timeout=int(seconds))


def forget(pages: Iterable[UUID]) -> None:
    for page in pages:
        cache.delete(_key(page))


def forget_removed(instance: models.Model, **_: object) -> None:
    """After a page was deleted, by itself, with its topic or with its school.

    Whoever is reading the page at this moment has locked its row, and caches it before the row can go.
    """
    key = instance.pk
    transaction.on_commit(lambda: forget([key]))


def _key(page: UUID) -> str:
    return f"approved-page:{page}"
