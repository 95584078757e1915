"""Documents as a list shows them: each with its newest version, in two queries however long the list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Prefetch, prefetch_related_objects

from corpus.models import Document, Version

PER_PAGE = 50


@dataclass(frozen=True)
class Listed:
    document: Document
    newest: Version


def listed(documents: Iterable[Any]) -> list[Listed]:
    """The documents of a queryset, or of one page of it, in its order."""
    rows = list(documents)
    if rows:
        versions = type(rows[0])._meta.get_field("versions").related_model
        newest = versions._default_manager.filter(number=F("document__version"))
        prefetch_related_objects(rows, Prefetch("versions", queryset=newest, to_attr="newest_versions"))
    return [Listed(row, row.newest_versions[0]) for row in rows]
