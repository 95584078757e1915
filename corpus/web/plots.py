"""Counts over time or by name, as a table with bars: `templates/_plot.html` draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils.formats import date_format
from django.utils.timezone import localdate

MAX_PERIODS = 14
"""Days in a table. Of more days, weeks are counted, and of more weeks, months."""
_HEADINGS = {"day": "Day", "week": "Week from", "month": "Month"}


class Tone(StrEnum):
    """The fill of a series: plain, in the colour of warnings, or outlined."""

    MAIN = "main"
    WARN = "warn"
    REST = "rest"


@dataclass(frozen=True)
class Series:
    """One number for each label of a plot."""

    name: str
    values: Sequence[int]
    tone: Tone = Tone.MAIN


@dataclass(frozen=True)
class Row:
    """A label with its numbers, and a bar for each number: tone, place and width."""

    label: str
    values: Sequence[int]
    bars: Sequence[tuple[Tone, str, str]]


@dataclass(frozen=True)
class Plot:
    """Counts by label, stacked. `heading` says what the labels are."""

    title: str
    heading: str
    labels: Sequence[str]
    series: Sequence[Series]

    @property
    def totals(self) -> list[int]:
        return [sum(one.values) for one in self.series]

    @property
    def total(self) -> int:
        return sum(self.totals)

    @property
    def rows(self) -> list[Row]:
        """The rows of the table; the longest bar is as wide as its cell."""
        columns = list(zip(*(one.values for one in self.series), strict=True))
        longest = max(map(sum, columns), default=0) or 1
        rows = []
        for label, values in zip(self.labels, columns, strict=True):
            starts = [100 * sum(values[:number]) / longest for number in range(len(values))]
            bars = [
                (one.tone, f"{start:.1f}%", f"{100 * value / longest:.1f}%")
                for one, start, value in zip(self.series, starts, values, strict=True)
                if value
            ]
            rows.append(Row(label, values, bars))
        return rows


def plot_over_time(
    rows: QuerySet[Any],
    moment: str,
    kinds: Mapping[str, tuple[Q, Tone]],
    *,
    title: str,
    first: date | None = None,
    last: date | None = None,
) -> Plot:
    """Count rows by day, week or month of the field `moment`, and by kind.

    `first` is by default the day of the first row and `last` today. A kind in the tone of the rest is left out if it
    has no row.
    """
    counts = {f"kind_{number}": Count("pk", filter=rule) for number, (rule, _) in enumerate(kinds.values())}
    days = {row.pop("day"): row for row in rows.order_by().values(day=TruncDate(moment)).annotate(**counts)}
    last = min(last or localdate(), localdate())
    unit, starts = _find_periods(first or min(days, default=last), last)
    series = []
    for key, (name, (_, tone)) in zip(counts, kinds.items(), strict=True):
        values = dict.fromkeys(starts, 0)
        for day, row in days.items():
            if (start := _find_start(day, unit)) in values:
                values[start] += row[key]
        if tone != Tone.REST or any(values.values()):
            series.append(Series(name, list(values.values()), tone))
    labels = [date_format(start, "M Y" if unit == "month" else "j M") for start in starts]
    return Plot(f"{title} by {unit}", _HEADINGS[unit], labels, series)


def _find_periods(first: date, last: date) -> tuple[str, list[date]]:
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    for unit in _HEADINGS:
        starts = list(dict.fromkeys(_find_start(day, unit) for day in days))
        if len(starts) <= MAX_PERIODS:
            break
    return unit, starts


def _find_start(day: date, unit: str) -> date:
    if unit == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if unit == "week" else day
