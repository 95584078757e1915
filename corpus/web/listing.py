"""Lists of documents with their newest versions, in two queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Prefetch, QuerySet, prefetch_related_objects
from django.utils.formats import date_format
from django.utils.timezone import localtime

from corpus.models import Document, Version


@dataclass(frozen=True)
class ListEntry:
    """A document in a list."""

    document: Document
    newest: Version
    shares_title: bool = False  # with another document in the list


def list_entries(documents: Iterable[Any]) -> list[ListEntry]:
    """The entries for a queryset or one page of it, in the same order."""
    rows = list(documents)
    if rows:
        newest = rows[0].versions.model.objects.filter(number=F("document__version"))
        prefetch_related_objects(rows, Prefetch("versions", queryset=newest, to_attr="newest_versions"))
    titles = Counter(row.title.casefold() for row in rows)
    return [ListEntry(row, row.newest_versions[0], titles[row.title.casefold()] > 1) for row in rows]


def distinguishing_details(documents: QuerySet[Any]) -> dict[UUID, str]:
    """File name and date, by key, of those documents that share their title with another one."""
    titles = {key: title.casefold() for key, title in documents.values_list("pk", "title")}
    number = Counter(titles.values())
    shared = documents.filter(pk__in=[key for key, title in titles.items() if number[title] > 1])
    return {
        item.document.pk: f"{item.newest.filename}, {date_format(localtime(item.newest.created_at), 'j M Y')}"
        for item in list_entries(shared)
    }
