"""Changes of a passage in a newer version: its counterpart, and the words that differ. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, groupby
from typing import Any

from corpus.ingestion.splitting.markdown_blocks import BlockKind, markdown_blocks
from corpus.reading.blocks import TextSpan
from text.sentences import sentence_starts

MIN_SIMILARITY = 0.4
"""How many words two passages must share to be versions of one: twice the shared words over the words of both.
Two texts on different subjects share some 0.1 to 0.3, a sentence with a few words rewritten 0.6 and more."""

_SAME_HEADINGS = 0.1  # what standing under the same headings is worth
_CANDIDATES = 5  # blocks, those with the most of the passage's rarer words, that are looked at closely

_WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"  # Chinese and Japanese: every character is a word
_ONE = rf"[{_WIDE}]|\d+(?:[.,:]\d+)*|[^\W{_WIDE}]+(?:['’][^\W{_WIDE}]+)*"  # a number or a word
_WORD = re.compile(_ONE)
_TOKEN = re.compile(rf"(?:{_ONE}|\S)\s*|\s+")  # with the white space that follows it
_STOPS = frozenset(".!?…。！？")
_MOST = 20_000_000  # pairs of equal words × words: at most half a second; prose reaches it with 1,200 words a side

MatchingRun = tuple[int, int, int]  # where it starts in the old text and in the new one, and how long it is


@dataclass(frozen=True)
class DiffPart:
    """A run of text that is in both versions, or only in one (changed)."""

    text: str
    changed: bool


@dataclass(frozen=True)
class Difference:
    """Two texts in parts: `before` is the old text, `after` the new one."""

    before: list[DiffPart]
    after: list[DiffPart]


def differences(old: str, new: str) -> Difference:
    """The words that were removed from the old text and added in the new one. White space is ignored.

    Texts that are too long to compare word by word are compared by sentences and lines.
    """
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    before: list[DiffPart] = []
    after: list[DiffPart] = []
    i = j = 0
    for a_start, b_start, length in [*_same(a, b), (len(a), len(b), 0)]:
        _add(before, "".join(a[i:a_start]), True)
        _add(after, "".join(b[j:b_start]), True)
        i, j = a_start + length, b_start + length
        _add(before, "".join(a[a_start:i]), False)
        _add(after, "".join(b[b_start:j]), False)
    return Difference(_trimmed(before), _trimmed(after))


def _same(a: Sequence[str], b: Sequence[str]) -> Iterator[MatchingRun]:
    """The runs of tokens that both sides have, in order."""
    # A word with other white space after it is the same: a line that breaks elsewhere says nothing new.
    words = [[token.rstrip() for token in side] for side in (a, b)]
    shortest = min(len(a), len(b))
    head = next((n for n in range(shortest) if words[0][n] != words[1][n]), shortest)
    left = shortest - head
    tail = next((n for n in range(left) if words[0][-1 - n] != words[1][-1 - n]), left)
    yield 0, 0, head
    inner = [side[head : len(side) - tail] for side in words]
    found: Iterable[MatchingRun] | None = _matched(*inner)
    if found is None:
        found = _by_sentences(a[head : len(a) - tail], b[head : len(b) - tail])
    yield from ((head + i, head + j, length) for i, j, length in found)
    yield len(a) - tail, len(b) - tail, tail


def _by_sentences(a: Sequence[str], b: Sequence[str]) -> Iterator[MatchingRun]:
    """The same of whole sentences and lines only; none where even these are too many."""
    sides = [_sentences(side) for side in (a, b)]
    starts = [[0, *accumulate(map(len, side))] for side in sides]
    for i, j, count in _matched(*sides) or ():
        yield starts[0][i], starts[1][j], starts[0][i + count] - starts[0][i]


def _sentences(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """The tokens as sentences and lines, each as a tuple of words."""
    found: list[list[str]] = [[]]
    for token in tokens:
        found[-1].append(token.rstrip())
        if "\n" in token or token.rstrip() in _STOPS:
            found.append([])
    return [tuple(words) for words in found if words]


def _matched(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[MatchingRun] | None:
    """The runs that both have; None where that might take too long, as of tables that say the same again and again."""
    counts = Counter(b)
    if sum(counts[one] for one in a) * min(len(a), len(b)) > _MOST:
        return None
    found = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return [(run.a, run.b, run.size) for run in found]


def _add(parts: list[DiffPart], text: str, changed: bool) -> None:
    """Append text, to the last part if that is of the same kind."""
    if not text:
        return
    if parts and parts[-1].changed == changed:
        parts[-1] = DiffPart(parts[-1].text + text, changed)
    else:
        parts.append(DiffPart(text, changed))


def _trimmed(parts: Sequence[DiffPart]) -> list[DiffPart]:
    """The parts with the white space at the ends of changes unmarked."""
    found: list[DiffPart] = []
    for part in parts:
        core = part.text.strip() if part.changed else ""
        before, _, after = part.text.partition(core) if core else (part.text, "", "")
        _add(found, before, False)
        _add(found, core, True)
        _add(found, after, False)
    return found


def find_counterpart(chunks: Sequence[Any], excerpt: str, *, headings: Sequence[str], position: int) -> TextSpan | None:
    """Where the text that has taken an excerpt's place stands in these chunks (all of a document, in order).

    It is the run of sentences of one block that is most similar to the excerpt, at least by MIN_SIMILARITY. Among
    equals the same headings are preferred, then the nearest position. None if there is none.
    """
    wanted = Counter(_words(excerpt))
    if not wanted:
        return None
    groups = [list(members) for _, members in groupby(chunks, key=lambda chunk: chunk.block)]
    texts = ["".join(chunk.text for chunk in group) for group in groups]
    held = [Counter(_words(text)) for text in texts]
    holders = Counter(word for words in held for word in words)

    bonus = [_SAME_HEADINGS * (list(group[0].heading_path) == list(headings)) for group in groups]
    nearness = [-abs(group[0].position - position) for group in groups]

    def promise(number: int) -> tuple[float, int]:
        common = sum(count / holders[word] for word, count in (wanted & held[number]).items())
        return common / wanted.total() + bonus[number], nearness[number]

    found: list[tuple[float, int, TextSpan]] = []
    for number in sorted(range(len(groups)), key=promise, reverse=True)[:_CANDIDATES]:
        likeness, start, end = _most_similar(texts[number], wanted)
        if likeness >= MIN_SIMILARITY:
            place = TextSpan(groups[number][0].block, start, end)
            found.append((likeness + bonus[number], nearness[number], place))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _most_similar(text: str, wanted: Counter[str]) -> tuple[float, int, int]:
    """The run of sentences most alike to the wanted words: its likeness from 0 to 1, start and end in the text."""
    starts = list(_sentence_starts(text))
    spans = list(zip(starts, [*starts[1:], len(text)], strict=True))
    words = [_words(text[start:end]) for start, end in spans]
    whole = wanted.total()
    best = (0.0, 0, 0)
    for first in range(len(spans)):
        shared, total, left = 0, 0, dict(wanted)
        for last in range(first, len(spans)):
            for word in words[last]:
                if left.get(word):
                    left[word] -= 1
                    shared += 1
            total += len(words[last])
            likeness, start, end = 2 * shared / (total + whole), spans[first][0], spans[last][1]
            if (likeness, best[2] - best[1]) > (best[0], end - start):  # of equals the shorter
                best = (likeness, start, end)
            if 2 * whole < max(best[0], MIN_SIMILARITY) * (total + whole):
                break  # too long to be more alike, whatever follows
    likeness, start, end = best
    return likeness, start, start + len(text[start:end].rstrip())


def _sentence_starts(text: str) -> Iterator[int]:
    """Offsets of the sentences of a text, and of the lines in tables, code and formulas."""
    for block in markdown_blocks(text):
        part = text[block.start : block.end]
        running = block.kind in (BlockKind.PROSE, BlockKind.ITEM)
        within = sentence_starts(part) if running else (line.end() for line in re.finditer(r"\n", part))
        yield block.start
        yield from (block.start + start for start in within)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
