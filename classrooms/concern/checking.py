"""Which sentences of a text a rule matches, and with which words. It says nothing about who wrote them.

The work is linear in the length of the text: a sentence is looked at in windows of at most WINDOW words, and within a
window no more than PLACES partial matches of a pattern are followed, and no more than WORK places compared for all
patterns together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from classrooms.concern import shapes
from classrooms.concern.folding import Word, sentences, words
from classrooms.concern.rules import FURTHEST, SET_ASIDE, Rule, Rules, Step

WINDOW, OVERLAP, PLACES, WORK = 60, 2 * FURTHEST, 100, 20_000

Span = tuple[int, int]
Places = dict[str, list[Span]]
"""By class, the words of a window that belong to it, as first and last + 1."""


@dataclass(frozen=True)
class Finding:
    """A sentence that a rule matched: the words as they were written, from the first that matched to the last.

    `line` and `rule` are the rule as it stands in its text.
    """

    category: str
    words: str
    line: int
    rule: str


def check(text: str, rules: Iterable[Rules]) -> list[Finding]:
    """Return what the rules find in a text, for each sentence at most one finding in each category.

    Rules of several languages may be given, for pupils who mix them.
    """
    rules = list(rules)
    found: list[Finding] = []
    for start, end in sentences(text):
        here: dict[str, Finding] = {}
        all_words = words(text, start, end)
        marked = _marked(text[start:end], start, all_words)
        for window, spans in _windows(all_words, marked):
            for each in rules:
                for finding in _in_window(text, window, spans, each):
                    here.setdefault(finding.category, finding)
        found += here.values()
    return found


def _marked(sentence: str, start: int, all_words: Sequence[Word]) -> list[tuple[str, int, int]]:
    """Shapes of a sentence by the words that they cover, in order."""
    marked, first = [], 0
    for name, begin, end in sorted(shapes.shapes(sentence), key=lambda shape: shape[1]):
        while first < len(all_words) and all_words[first].end <= begin + start:
            first += 1
        last = first
        while last < len(all_words) and all_words[last].start < end + start:
            last += 1
        if last > first:
            marked.append((name, first, last))
    return marked


def _windows(
    all_words: Sequence[Word], marked: list[tuple[str, int, int]]
) -> Iterator[tuple[Sequence[Word], list[tuple[str, Span]]]]:
    begins = [begin for _, begin, _ in marked]
    for first in range(0, max(1, len(all_words) - OVERLAP), WINDOW - OVERLAP):
        window = all_words[first : first + WINDOW]
        if not window:
            return  # full stops only
        inside = [
            (name, (begin - first, end - first))
            for name, begin, end in marked[bisect_left(begins, first) : bisect_left(begins, first + WINDOW)]
            if end <= first + WINDOW
        ]
        yield window, inside


def _in_window(
    text: str, window: Sequence[Word], marked: Iterable[tuple[str, Span]], rules: Rules
) -> Iterator[Finding]:
    places = rules.lookup.places(window)
    for name, span in marked:
        places.setdefault(name, []).append(span)
    hidden, work = 0, _Work()
    for rule in rules.rules:
        if rule.category == SET_ASIDE:
            for used in _matches(rule, places, work).values():
                hidden |= used
    if hidden:
        places = _without(places, hidden)
    for rule in rules.rules:
        if rule.category != SET_ASIDE and (found := _matches(rule, places, work)):
            first, last = min(found, key=lambda span: (span[1] - span[0], span))
            excerpt = " ".join(text[window[first].start : window[last - 1].end].split())
            yield Finding(rule.category, excerpt, rule.line, rule.text)


def _without(places: Places, hidden: int) -> Places:
    """Places that use none of the words in `hidden`, a bit for each word."""
    kept = {name: [span for span in spans if not _bits(span) & hidden] for name, spans in places.items()}
    return {name: spans for name, spans in kept.items() if spans}


class _Work:
    """The places that are still compared in a window."""

    def __init__(self) -> None:
        self.left = WORK


def _matches(rule: Rule, places: Places, work: _Work) -> dict[Span, int]:
    """Where a rule matches: places from its first word to its last + 1, each with bits of the words that it uses."""
    found = _partial(rule.steps, places, work)
    return {} if found and any(_partial(steps, places, work) for steps in rule.unless) else found


def _partial(steps: Sequence[Step], places: Places, work: _Work) -> dict[Span, int]:
    if work.left < 0 or any(step.words not in places for step in steps):
        return {}
    partial = {span: _bits(span) for span in places[steps[0].words]}
    for step in steps[1:]:
        further: dict[Span, int] = {}
        for (first, last), used in partial.items():
            work.left -= len(places[step.words])
            for span in places[step.words]:
                if not _bits(span) & used and _is_near(step, first, last, span):
                    further.setdefault((min(first, span[0]), max(last, span[1])), used | _bits(span))
            if len(further) >= PLACES or work.left < 0:
                break
        partial = further
    return partial


def _is_near(step: Step, first: int, last: int, span: Span) -> bool:
    furthest = WINDOW if step.distance is None else step.distance
    if span[0] >= last:
        return span[0] - last <= furthest
    if not step.any_order:
        return False
    return span[0] >= first or 0 <= first - span[1] <= furthest


def _bits(span: Span) -> int:
    return (1 << span[1]) - (1 << span[0])
