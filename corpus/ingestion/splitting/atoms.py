"""Atoms, the smallest parts of a text that should not be cut, with the cost of a cut before each, and their packing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from corpus.ingestion.splitting.markdown_blocks import BlockKind, markdown_blocks
from text.sentences import literal_spans, sentence_starts

Weigh = Callable[[str], int]

# The cost of a cut by its place. The packer charges 1.0 for a piece that is nearly empty.
_PARAGRAPH, _ITEM, _LINE, _SENTENCE, _CLAUSE, _WORD, _CHARACTER = 0.0, 0.1, 0.25, 0.3, 0.6, 1.0, 2.0
_AFTER_COLON = 0.4  # "The three laws are:" belongs to what follows
_SOFT = (BlockKind.PROSE, BlockKind.ITEM)
_SHORT = 80  # characters; shorter neighbours stay together, since "Yes." or "- a" mean nothing alone


@dataclass(frozen=True)
class Atom:
    start: int
    end: int  # the start of the next atom, so it includes white space
    weight: int
    cut_cost: float  # of a cut before it


@dataclass(frozen=True)
class _Span:
    start: int
    kind: BlockKind
    cut_cost: float


def atoms(text: str, *, weigh: Weigh, limit: int) -> list[Atom]:
    """The atoms of `text` in order. None is heavier than `limit`, except a single character."""
    spans = _glued(text, list(_spans(text)), min(_SHORT, limit))
    return [atom for span, end in _with_ends(text, spans) for atom in _fitting(text, span, end, weigh, limit)]


def _with_ends(text: str, spans: Sequence[_Span]) -> Iterator[tuple[_Span, int]]:
    return zip(spans, [*(span.start for span in spans[1:]), len(text)], strict=False)


def _spans(text: str) -> Iterator[_Span]:
    before = ""
    for block in markdown_blocks(text):
        cost = _PARAGRAPH if block.apart else _ITEM if block.kind is BlockKind.ITEM else _LINE
        yield _Span(block.start, block.kind, cost + _AFTER_COLON * before.rstrip().endswith(":"))
        before = text[block.start : block.end]
        for start in sentence_starts(before) if block.kind in _SOFT else ():
            yield _Span(block.start + start, block.kind, _SENTENCE)


def _glued(text: str, spans: Sequence[_Span], short: int) -> list[_Span]:
    """The spans, with neighbours joined that have at most `short` characters together."""
    kept: list[_Span] = []
    for span, end in _with_ends(text, spans):
        if not (kept and {span.kind, kept[-1].kind} <= {*_SOFT} and end - kept[-1].start <= short):
            kept.append(span)
    return kept


def _fitting(text: str, span: _Span, end: int, weigh: Weigh, limit: int) -> list[Atom]:
    """The span as one atom, or halved near the middle until every part fits."""
    part = text[span.start : end]
    weight = weigh(part)
    if weight <= limit or len(part) < 2:
        return [Atom(span.start, end, weight, span.cut_cost)]
    cut, cost = _best_cut(part, span.kind)
    second = _Span(span.start + cut, span.kind, cost)
    return _fitting(text, span, second.start, weigh, limit) + _fitting(text, second, end, weigh, limit)


_BLANK = re.compile(r"\n[ \t]*\n+")
_NEWLINE = re.compile(r"\n")
_CLAUSES = re.compile(r"[,;:][)\]\"'”’»]*\s+|(?<!\s)\s++(?=[—–]\s)|[，、；：]")
_CELL = re.compile(r"\|")
_SPACE = re.compile(r"\s+")
_FINER: dict[BlockKind, tuple[tuple[re.Pattern[str], float], ...]] = {
    **dict.fromkeys(_SOFT, ((_NEWLINE, _LINE), (_CLAUSES, _CLAUSE), (_SPACE, _WORD))),
    BlockKind.TABLE: ((_NEWLINE, _LINE), (_CELL, _CLAUSE), (_SPACE, _WORD)),
    BlockKind.CODE: ((_BLANK, _ITEM), (_NEWLINE, _LINE), (_SPACE, _WORD)),
    BlockKind.FORMULA: ((_NEWLINE, _LINE), (_SPACE, _WORD)),
}


def _best_cut(part: str, kind: BlockKind) -> tuple[int, float]:
    """Offset and cost of a cut: at the coarsest separator in the middle half, nearest to the middle."""
    middle = len(part) // 2
    guarded = literal_spans(part) if kind in _SOFT else []
    for separator, cost in _FINER[kind]:
        if free := [place for place in _places(part, separator) if not _inside(place, guarded)]:
            return min(free, key=lambda place: abs(place - middle)), cost
    places = _places(part, _SPACE)
    return (min(places, key=lambda place: abs(place - middle)), _WORD) if places else (max(1, middle), _CHARACTER)


def _inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    following = bisect_left(spans, (place,))
    return following > 0 and place < spans[following - 1][1]


def _places(part: str, separator: re.Pattern[str]) -> list[int]:
    low, high = len(part) // 4, len(part) - len(part) // 4
    return [match.end() for match in separator.finditer(part, low, high) if 0 < match.end() < len(part)]


def pack(weights: Sequence[int], cut_costs: Sequence[float], *, limit: int, target: float) -> list[range]:
    """Groups of consecutive items in order. None is heavier than `limit`, except a single item.

    Minimises the sum over groups of ((weight - target) / target)² + `cut_costs[first]` (not for the first group).
    Exact, by dynamic programming: a group of half the target costs 0.25, an almost empty one 1.0, so a short rest is
    balanced with its neighbour. Among equal costs the longer last group wins. Time: items × items of a group.
    """
    best = [0.0]
    begins = [0]
    for end in range(1, len(weights) + 1):
        best.append(float("inf"))
        begins.append(end - 1)
        weight = 0
        for start in range(end - 1, -1, -1):
            weight += weights[start]
            if weight > limit and start < end - 1:
                break
            cost = best[start] + ((weight - target) / target) ** 2 + (cut_costs[start] if start else 0.0)
            if cost <= best[end]:
                best[end], begins[end] = cost, start
    groups: list[range] = []
    end = len(weights)
    while end:
        groups.append(range(begins[end], end))
        end = begins[end]
    return groups[::-1]
