"""Small plots, drawn on the server: where the marks of an SVG stand, what is read aloud, and the table of its numbers.

`templates/_plot.html` draws them. Horizontal places are percentages and vertical ones pixels, so a plot is as wide as
its column and its letters keep their size. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

MIN_POINTS = 3
"""With fewer points that are not zero, a sentence says more than a picture."""
MAX_BARS = 12
"""Bars in a picture; the table has all."""

_LEFT, _RIGHT = 9.0, 99.5  # the area of columns in percent; scale numbers stand to its left
_TOP, _BASE, _COLUMNS_HEIGHT = 12, 128, 150
_BAR_STEP, _BAR_HEIGHT = 42, 12
_NAMED = 5  # names that a sentence lists
_LABEL_LETTERS, _AXIS_LETTERS = 42, 44
_WIDTH_OF_COLUMN = 0.72


class Tone(StrEnum):
    """How a series is filled: plain, hatched or outlined, so that colour is not the only difference."""

    MAIN = "main"
    WARN = "warn"
    REST = "rest"


@dataclass(frozen=True)
class Series:
    """One number for each label of a plot. `name` completes “12 …”, such as “answered”."""

    name: str
    values: Sequence[int]
    tone: Tone = Tone.MAIN


@dataclass(frozen=True)
class Mark:
    """A rectangle, with the sentence that a pointer gets to see. x and width in percent, y and height in pixels."""

    x: str
    y: str
    width: str
    height: str
    tone: Tone
    said: str


@dataclass(frozen=True)
class Label:
    """A text at x percent and y pixels; `anchor` as in SVG."""

    x: str
    y: str
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Plot:
    """Counts by label, stacked: upright columns for periods, or else bars that lie under their names.

    `key` makes the ids on a page unique; `unit` is one of the things counted, in the singular, such as “question”;
    `heading` says what the labels are. `summary` says it all in words where sums over the labels would mean nothing.
    """

    key: str
    title: str
    unit: str
    heading: str
    labels: Sequence[str]
    series: Sequence[Series]
    lies: bool = False
    summary: str = ""

    @cached_property
    def sums(self) -> list[int]:
        """The sum of all series for each label."""
        return [sum(values) for values in zip(*(one.values for one in self.series), strict=True)]

    @property
    def total(self) -> int:
        return sum(self.sums)

    @property
    def is_drawn(self) -> bool:
        """Whether there are enough points for a picture."""
        return sum(value > 0 for value in self.sums) >= MIN_POINTS

    @property
    def in_words(self) -> str:
        """The numbers in one or two sentences: read aloud for the picture, or shown instead of it."""
        if self.summary:
            return self.summary
        parts = [f"{sum(one.values)} {one.name}" for one in self.series]
        text = counted(self.total, self.unit) + (f": {', '.join(parts)}." if len(parts) > 1 else ".")
        if self.lies and 0 < len(self.labels) <= _NAMED:
            named = zip(self.labels, self.sums, strict=True)
            return f"{text} {'; '.join(f'{label}: {value}' for label, value in named)}."
        if len(self.labels) > 1 and self.total:
            most = max(range(len(self.sums)), key=lambda number: self.sums[number])
            text += f" The most, {self.sums[most]}: {self.labels[most]}."
        return text

    @property
    def height(self) -> int:
        """The height of the picture in pixels."""
        return _BAR_STEP * min(len(self.labels), MAX_BARS) if self.lies else _COLUMNS_HEIGHT

    @property
    def marks(self) -> list[Mark]:
        """All rectangles."""
        return list(self._bars() if self.lies else self._columns())

    @property
    def texts(self) -> list[Label]:
        """Names and numbers beside the marks."""
        return list(self._bar_texts() if self.lies else self._axis_texts())

    @property
    def lines(self) -> list[str]:
        """The heights of the horizontal lines in pixels, of columns only."""
        return [] if self.lies else [f"{self._height_of(value):.1f}" for value in self._scale]

    @property
    def is_cut(self) -> bool:
        """Whether the picture has not all of the bars."""
        return self.lies and len(self.labels) > MAX_BARS

    @property
    def most(self) -> int:
        """How many bars the picture has at most."""
        return MAX_BARS

    @property
    def legend(self) -> list[tuple[Series, int | None]]:
        """The series with their sums, if there is more than one. No sums if there is a summary."""
        sums = [None if self.summary else sum(one.values) for one in self.series]
        return list(zip(self.series, sums, strict=True)) if len(sums) > 1 else []

    @property
    def rows(self) -> list[tuple[str, list[int]]]:
        """The table: each label with its numbers, and their sum if there are several."""
        rows = []
        for number, label in enumerate(self.labels):
            values = [one.values[number] for one in self.series]
            rows.append((label, [*values, self.sums[number]] if len(values) > 1 else values))
        return rows

    @cached_property
    def _scale(self) -> tuple[int, ...]:
        """0, a half where it is a whole number, and a round number that no column exceeds."""
        top = round_up(max(self.sums, default=1))
        return (0, top // 2, top) if top % 2 == 0 else (0, top)

    def _height_of(self, value: float) -> float:
        return _BASE - (_BASE - _TOP) * value / self._scale[-1]

    def _columns(self) -> Iterator[Mark]:
        slot = (_RIGHT - _LEFT) / len(self.labels)
        width = slot * _WIDTH_OF_COLUMN
        for number, label in enumerate(self.labels):
            below = 0
            for one in self.series:
                value = one.values[number]
                if value:
                    y, end = self._height_of(below + value), self._height_of(below)
                    x = _LEFT + slot * number + (slot - width) / 2
                    said = f"{label}: {value} {one.name}"
                    yield Mark(f"{x:.2f}%", f"{y:.1f}", f"{width:.2f}%", f"{end - y:.1f}", one.tone, said)
                    below += value

    def _bars(self) -> Iterator[Mark]:
        most = max(self.sums, default=0) or 1
        for number, label in enumerate(self.labels[:MAX_BARS]):
            x = 0.0
            for one in self.series:
                value = one.values[number]
                if value:
                    y, width = _BAR_STEP * number + 20, 100 * value / most
                    said = f"{label}: {value} {one.name}"
                    yield Mark(f"{x:.2f}%", str(y), f"{width:.2f}%", str(_BAR_HEIGHT), one.tone, said)
                    x += width

    def _bar_texts(self) -> Iterator[Label]:
        for number, label in enumerate(self.labels[:MAX_BARS]):
            y = str(_BAR_STEP * number + 14)
            yield Label("0%", y, shorten(label))
            yield Label("100%", y, str(self.sums[number]), "end")

    def _axis_texts(self) -> Iterator[Label]:
        for value in self._scale:
            yield Label(f"{_LEFT - 1.2:.1f}%", f"{self._height_of(value) + 4:.1f}", str(value), "end")
        slot, last = (_RIGHT - _LEFT) / len(self.labels), len(self.labels) - 1
        for number in _shown(self.labels):
            middle = _LEFT + slot * (number + 0.5)
            anchor = "middle"
            if last and len(self.labels) > 4:
                anchor = {0: "start", last: "end"}.get(number, anchor)
            x = {"start": _LEFT, "end": _RIGHT}.get(anchor, middle)
            yield Label(f"{x:.2f}%", str(_COLUMNS_HEIGHT - 4), self.labels[number], anchor)


def counted(count: int, unit: str) -> str:
    """“1 question”, “2 questions”. Adds an s to the unit."""
    return f"{count} {unit}{'' if count == 1 else 's'}"


def round_up(value: int) -> int:
    """The next of 1, 2, 3, 4, 6, 8, 10, 20, 30, … that is not less than the value."""
    step = 1
    while value > 10 * step:
        step *= 10
    return next(step * factor for factor in (1, 2, 3, 4, 6, 8, 10) if step * factor >= value)


def shorten(label: str) -> str:
    """A name that fits above its bar on a phone."""
    return label if len(label) <= _LABEL_LETTERS else label[: _LABEL_LETTERS - 1].rstrip() + "…"


def _shown(labels: Sequence[str]) -> list[int]:
    """Which labels fit under the columns: all, or the first, the middle and the last, or the first and the last."""
    longest, last = max(map(len, labels)), len(labels) - 1
    if (longest + 1) * len(labels) <= _AXIS_LETTERS:
        return list(range(len(labels)))
    return [0, last // 2, last] if 3 * longest <= _AXIS_LETTERS and last > 1 else [0, last]
