"""Lists of documents with their newest versions, in two queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Prefetch, QuerySet, prefetch_related_objects
from django.db.models.functions import TruncDate
from django.utils.formats import date_format
from django.utils.timezone import localdate, localtime

from corpus.models import Document, Status, Version
from corpus.web.periods import periods_between
from corpus.web.plots import Plot, Series, Tone

PER_PAGE = 50

_READ, _FAILED, _WAITING = "read", "could not be read", "waiting or being read"
_INDEXED = {Status.READY.value: _READ, Status.FAILED.value: _FAILED}


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


def plot_indexing(documents: QuerySet[Any]) -> Plot:
    """How many documents were added over time, by whether their newest version has been read."""
    by_day = documents.order_by().annotate(day=TruncDate("created_at")).values_list("day", "status")
    counts = [(day, _INDEXED.get(status, _WAITING), count) for day, status, count in by_day.annotate(count=Count("pk"))]
    today = localdate()
    periods = periods_between(min((day for day, _, _ in counts), default=today), today)
    values = periods.counts(counts, [_READ, _FAILED, _WAITING])
    tones = {_READ: Tone.MAIN, _FAILED: Tone.WARN, _WAITING: Tone.REST}
    series = [Series(name, values[name], tone) for name, tone in tones.items()]
    return Plot("indexing", f"Documents added, by {periods.name}", "document", periods.heading, periods.labels, series)
