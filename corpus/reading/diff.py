"""Changes of a passage in a newer version: its counterpart, and the words that differ. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from corpus.ingestion.splitting.markdown_blocks import BlockKind, markdown_blocks
from corpus.reading.blocks import TextSpan
from text.sentences import sentence_starts

MIN_SIMILARITY = 0.4
"""How many words two passages must share to be versions of one: twice the shared words over the words of both.
Two texts on different subjects share some 0.1 to 0.3, a sentence with a few words rewritten 0.6 and more."""

MAX_WORDS = 5_000
"""Of longer texts lines are compared."""
_CANDIDATES = 5  # blocks, those with the most of the passage's words, that are looked at closely
_WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"  # Chinese and Japanese: every character is a word
_ONE = rf"[{_WIDE}]|\d+(?:[.,:]\d+)*|[^\W{_WIDE}]+(?:['’][^\W{_WIDE}]+)*"  # a number or a word
_WORD = re.compile(_ONE)
_TOKEN = re.compile(rf"(?:{_ONE}|\S)\s*|\s+")  # with the white space that follows it


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
    """Find the words that were removed from the old text and added in the new one. White space is ignored."""
    sides = [_TOKEN.findall(text) for text in (old, new)]
    if max(map(len, sides)) > MAX_WORDS:
        sides = [text.splitlines(keepends=True) for text in (old, new)]
    before: list[DiffPart] = []
    after: list[DiffPart] = []
    old_words, new_words = ([token.strip() for token in side] for side in sides)
    for tag, *place in SequenceMatcher(None, old_words, new_words).get_opcodes():
        _add(before, "".join(sides[0][place[0] : place[1]]), tag != "equal")
        _add(after, "".join(sides[1][place[2] : place[3]]), tag != "equal")
    return Difference(before, after)


def _add(parts: list[DiffPart], text: str, changed: bool) -> None:
    """Append text, to the last part if that is of the same kind. White space is never marked."""
    core = text.strip() if changed else ""
    start, _, end = text.partition(core) if core else (text, "", "")
    for part in (DiffPart(start, False), DiffPart(core, True), DiffPart(end, False)):
        if part.text and parts and parts[-1].changed == part.changed:
            parts[-1] = DiffPart(parts[-1].text + part.text, part.changed)
        elif part.text:
            parts.append(part)


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
    shared = [(wanted & Counter(_words(text))).total() for text in texts]
    firsts = [group[0] for group in groups]
    preferred = [(list(one.heading_path) == list(headings), -abs(one.position - position)) for one in firsts]
    candidates = sorted(range(len(groups)), key=lambda number: (shared[number], *preferred[number]), reverse=True)
    found = [(_most_similar(texts[number], wanted), number) for number in candidates[:_CANDIDATES]]
    (likeness, start, end), number = max(found, key=lambda one: (one[0][0], *preferred[one[1]]), default=((0, 0, 0), 0))
    return TextSpan(firsts[number].block, start, end) if likeness >= MIN_SIMILARITY else None


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
