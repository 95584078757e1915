"""Raised and lowered letters, marks of footnotes, and boxes that are ticked or not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from math import inf
from statistics import median

from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.signs import lower_text, raise_text, read_box

_SMALL = 0.87  # times the size of the line; type of an exponent is smaller
_RAISED, _LOWERED, _FURTHEST = 0.17, 0.07, 0.75  # times the size, for smaller type
_RAISED_FAR, _FURTHEST_LARGE = 0.3, 0.5  # the same for type as large as the line
_NEAR, _SHARE = 0.6, 0.15  # times the size, to a letter on the base line; of the letters of a line, for its size
_SHORT, _MIN_COUNT, _MIN_LOW, _LOW = 6, 0.1, 0.04, 0.5  # times the size: a run that may be raised or lowered
_NOTE_SIZE = 0.93  # times the size of the body
_NUMBERS = re.compile(r"\d{1,3}(?:[,–-] ?\d{1,3})*")
_NOTE = re.compile(r"\s*\[?(\d{1,3})[\].)]?\s+\S")
_UNITS = re.compile(r"(?:^|[\s\d(/·])(?:[kcdmµn]?m|ha|[khc]?[lg]|s)$")
_NOTED = re.compile(r"(?:[^\W\d_]{2}|[.,;:!?)\]”“’»\"]|\b(?:1\d|20)\d\d)\s*$")  # a mark of a note may follow it
_EXPONENT = re.compile(r"[\w+−–-]")
_COUNTED = re.compile(r"(?:\d|\b[IVXLC]+)$")  # "2" or "XX", before an ending of one letter; of others see `raise_text`
_JOINT = "\ufeff"  # between two parts of one line: no space, and not to be read
_TOKEN = re.compile(rf"[^\W\d_]+|\d+|[^\w\s{_JOINT}]+|_+")
_SIGN = re.compile(r"[\uf020-\uf0ff]|(?<!\S)[oqxOPRSTþýûü¨£](?!\S)")
_BOXES = str.maketrans("❏❐❑❒□◻", "☐☐☐☐☐☐")


def write_dingbats(page: PageLetters) -> None:
    """Write ticks and boxes of symbol fonts as such, whose characters are letters or have no meaning."""
    page.text = page.text.translate(_BOXES)
    for match in _SIGN.finditer(page.text):
        font = page.font(match.start()).replace(" ", "").replace("-", "").rpartition("+")[2].removesuffix("regular")
        if font.startswith("wing") and (sign := read_box(match.group(), font)):
            page.written[match.start()] = sign


def write_raised(page: PageLetters, spans: Sequence[Span]) -> list[Span]:
    """Write raised and lowered letters apart from the word before. PDFium ends lines there, which are joined."""
    whole = _joined(page, spans)
    several = [span for span in whole if span.runs > 1 and _may_have_offsets(page, span)]
    found = [(span, runs) for span in several if (runs := list(_offset_runs(page, span)))]
    first = [(page.visible(span.start, span.stop)[0], *runs[0]) for span, runs in found]
    notes = _note_numbers(page, whole, [indices for index, indices, up in first if up and indices[0] == index])
    for span, runs in found:
        for indices, up in runs:
            _write(page, span, indices, up, notes)
    return whole


def _joined(page: PageLetters, spans: Sequence[Span]) -> list[Span]:
    whole: list[Span] = []
    for span in spans:
        last = whole[-1] if whole else None
        if last and _is_one_line(last, span):
            right = page.box(page.visible(last.start, last.stop)[-1])[2]
            apart = span.left - right > 0.2 * span.size
            between = (" " if apart else _JOINT) * (span.start - last.stop)
            page.text = page.text[: last.stop] + between + page.text[span.start :]
            main = max(last, span, key=lambda one: (one.size, one.stop - one.start))
            whole[-1] = replace(
                main, start=last.start, stop=span.stop, runs=2, left=last.left, right=span.right, end_y=span.end_y
            )
        else:
            whole.append(span)
    return whole


def _is_one_line(one: Span, other: Span) -> bool:
    size, most = max(one.size, other.size), _FURTHEST if one.size == other.size else 1.1
    follows = -0.5 * size < other.left - one.right < 1.5 * size
    return (
        follows
        and _LOWERED * size < abs(one.end_y - other.y) < most * size
        and not (one.slanted or one.turns or other.turns)
    )


def _may_have_offsets(page: PageLetters, span: Span) -> bool:
    """Whether the ink of a short run begins above the baseline or lies below it. Measuring letters takes longer."""
    return not (span.slanted or span.turns) and any(
        right - left < _SHORT * span.size
        and (
            bottom - span.y > _MIN_COUNT * span.size
            or (span.y - bottom > _MIN_LOW * span.size and top - span.y < _LOW * span.size)
        )
        for left, bottom, right, top in page.runs(span)
    )


def _offset_runs(page: PageLetters, span: Span) -> Iterator[tuple[list[int], bool]]:
    """The letters of a line that stand above or below its baseline: their indices, and whether they are raised."""
    parts = list(_measure(page, span))
    counts = Counter(own for letters, own, _ in parts for _ in letters)
    size = max(own for own, count in counts.items() if count >= _SHARE * counts.total())
    base = median(height for letters, own, height in parts for _ in letters if own == size)

    def offset(part: tuple[range, float, float]) -> int:
        _, own, height = part
        up, small = (height - base) / size, own <= _SMALL * size
        least = (_RAISED if up > 0 else _LOWERED) if small else _RAISED_FAR
        return (1 if up > 0 else -1) * int(least < abs(up) < (_FURTHEST if small else _FURTHEST_LARGE))

    runs = [(way, [index for letters, *_ in group for index in letters]) for way, group in groupby(parts, key=offset)]
    gaps = [page.box(after[0])[0] - page.box(before[-1])[2] for (_, before), (_, after) in pairwise(runs)]
    for (way, run), before, after in zip(runs, [inf, *gaps], [*gaps, inf], strict=True):
        if way and min(before, after) < _NEAR * size:
            yield run, way > 0


def _measure(page: PageLetters, span: Span) -> Iterator[tuple[range, float, float]]:
    """Letters of one size and height, with these. Where the ends of a word are level, so are the letters between."""

    def measure(index: int) -> tuple[float, float]:
        return page.size(index), page.origin(index)[1]

    for match in _TOKEN.finditer(page.text, span.start, span.stop):
        token = range(*match.span())
        level = measure(token[0]) == measure(token[-1])
        for part in [token] if level else [range(index, index + 1) for index in token]:
            yield part, *measure(part[0])


def _note_numbers(page: PageLetters, spans: Sequence[Span], opening: Sequence[Sequence[int]]) -> set[str]:
    """The numbers of the notes at the foot of the page: raised at the start of a line, or before smaller type."""
    letters: Counter[float] = Counter()
    for span in spans:
        letters[span.size] += span.stop - span.start
    body = max(letters, key=lambda size: letters[size], default=0.0)
    small = (span for span in spans if span.size <= _NOTE_SIZE * body)
    matches = (_NOTE.match(page.text[span.start : span.stop]) for span in small)
    raised = {"".join(page.text[index] for index in indices) for indices in opening}
    return raised | {match.group(1) for match in matches if match}


def _write(page: PageLetters, span: Span, indices: Sequence[int], up: bool, notes: set[str]) -> None:
    first, last = indices[0], indices[-1]
    before, text = page.text[span.start : first].rstrip(_JOINT), page.text[first : last + 1]
    numbers = _NUMBERS.fullmatch(text) and set(re.findall(r"\d+", text)) <= notes
    if not up:
        written = lower_text(text)
    elif numbers and not before.strip():
        written = f"[{text}] "
    elif numbers and _NOTED.search(before) and not _UNITS.search(before):
        written = f"[{text}]"
    elif text in ("o", "°") and page.text[last + 1 : last + 3].strip()[:1] in ("C", "F"):
        written = "°"
    elif not (before.strip() and _EXPONENT.search(text)) or (text in ("e", "o", "a") and _COUNTED.search(before)):
        return  # as in "XXe", "Lego®" and "½"
    else:
        written = raise_text(text)
    if first == last:
        page.written[first] = written
        return
    head, _, tail = written.partition(text)
    page.written[first], page.written[last] = head + page.text[first], page.text[last] + tail
