"""Days, weeks or months between two dates, to count things in. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.formats import date_format

MAX_PERIODS = 60
"""More would not fit beside each other on a phone."""


@dataclass(frozen=True)
class Periods:
    """Periods without gaps: `starts` has the first day of each, `name` the word for one (day, week, month)."""

    name: str
    starts: tuple[date, ...]

    @property
    def labels(self) -> list[str]:
        """The first day of each period, or its month, for an axis."""
        style = "M Y" if self.name == "month" else "j M"
        return [date_format(start, style) for start in self.starts]

    @property
    def heading(self) -> str:
        """What the labels are, for the head of a table."""
        return {"day": "Day", "week": "Week from", "month": "Month"}[self.name]

    def counts(self, by_day: Iterable[tuple[date, str, int]], keys: Sequence[str]) -> Mapping[str, list[int]]:
        """The sums of (day, key, count) in each period by key. Other keys and days outside are left out."""
        place = {start: number for number, start in enumerate(self.starts)}
        sums = {key: [0] * len(self.starts) for key in keys}
        for day, key, count in by_day:
            start = _start(day, self.name)
            if key in sums and start in place:
                sums[key][place[start]] += count
        return sums


def periods_between(first: date, last: date) -> Periods:
    """The days of [first, last], or its weeks from Monday or months if there would be more than MAX_PERIODS.

    Of months there may be more.
    """
    for name in ("day", "week"):
        starts = _starts(first, last, name)
        if len(starts) <= MAX_PERIODS:
            return Periods(name, starts)
    return Periods("month", _starts(first, last, "month"))


def _starts(first: date, last: date, name: str) -> tuple[date, ...]:
    starts, day = [], _start(first, name)
    while day <= last:
        starts.append(day)
        if name == "month":
            day = (day + timedelta(days=31)).replace(day=1)
        else:
            day += timedelta(days=7 if name == "week" else 1)
    return tuple(starts)


def _start(day: date, name: str) -> date:
    if name == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if name == "week" else day
