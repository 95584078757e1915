"""Paragraphs from the lines of a page: joins hyphenated words, and sentences across pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import TypeVar

from corpus.ingestion.readers.pdf.words import Line
from corpus.ingestion.readers.structure import group_while
from text.function_words import FUNCTION_WORDS
from text.sentences import sentence_starts
from text.spelling import find_frequency

_BULLET = re.compile(r"[•●▪■◦○‣⁃∙·–—-]\s+(?=\S)")
_NUMBERED = re.compile(
    r"(?:\d{1,3}|[a-z])[.)]\s+\S|\((?:\d{1,3}|[a-z])\)\s+\S|\d{1,2}(?:\.\d{1,2})+\.?\s+\S|[^\W\d_]+ \d{1,2}:\s"
)
_BOX = re.compile(r"[☐☑☒✓✔✕✖✗✘]|\[\d{1,3}\] ")  # to be ticked, or the number of a note
_HYPHENS = ("-", "\u2010")
_FINISHED = re.compile(r"[.!?…:;。！？؟।][\"'”’»)\]]*$")
_NAMED = re.compile(r"(?:\b[^\W\d_]|\b[A-ZÄÖÜ]{2,4}|\d\w*)$")  # "n-hexane", "UV-light", "B12-rich": its hyphen is real
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LOOSE = {"and", "or", "und", "oder", "bzw", "sowie", "et", "ou", "y", "o", "e"}  # "Haupt- und Nebensatz"
_HYPHENATED = ("en", "fr")  # languages whose compounds have a hyphen before a small letter
_MIN_HALF, _COMMON = 3, 1000  # letters of a half of a compound, and times in the texts of the dictionary
_MIN_VERSES, _MAX_VERSE, _VERSES = 3, 70, 0.6  # lines, characters, and of the lines
_STOP = re.compile(r"[.!?…,:;–—-][\"'”’»)\]]*$")
_MAX_TAIL_LENGTH = 600  # characters of a sentence that are moved to the page before


@dataclass(frozen=True)
class Paragraph:
    text: str
    page: int
    size: float
    open: bool  # whether its last line is full and does not end a sentence


def collect_words(lines: Iterable[str]) -> frozenset[str]:
    """All words of these lines in lower case. They tell a compound from a word broken at a line end."""
    return frozenset(word for line in lines for word in _WORD.findall(line.lower()))


def paragraphs(lines: Sequence[Line], page: int, words: frozenset[str]) -> Iterator[Paragraph]:
    gaps = [above.y - below.y for above, below in pairwise(lines) if above.size == below.size and above.y > below.y]
    leading = median(gaps) if gaps else 0.0  # the usual distance between baselines, in points
    right = max((line.right for line in lines), default=0.0)
    for block in _blocks(lines, leading):
        if _are_verses(block):
            yield Paragraph("\n".join(line.text for line in block), page, block[0].size, False)
            continue
        for part in group_while(block, lambda part, line: not _begins(part[0], part[-1], line, leading, right)):
            yield _paragraph(part, page, words, right)


def _blocks(lines: Sequence[Line], leading: float) -> list[list[Line]]:
    """The lines between which there is no more space than usual."""
    return group_while(lines, lambda block, line: block[-1].y - line.y <= 1.35 * min(leading, 1.6 * line.size))


def _are_verses(lines: Sequence[Line]) -> bool:
    """Whether the lines are to stay apart: most end with a stop, or where the next word would have had room."""
    longest = max(len(line.text) for line in lines)
    pairs = [(above, below) for above, below in pairwise(lines) if above.y > below.y and above.size == below.size]
    listed = any(pattern.match(line.text) for line in lines for pattern in (_BULLET, _NUMBERED, _BOX))
    if len(lines) < _MIN_VERSES or len(pairs) < len(lines) - 1 or longest > _MAX_VERSE or listed:
        return False
    if any(above.hyphen or above.text.endswith(_HYPHENS) for above in lines):
        return False
    right = max(line.right for line in lines)
    stops = sum(bool(_STOP.search(line.text)) for line in lines)
    early = sum(above.right + _first_word(below) < right for above, below in pairs)
    return stops >= _VERSES * len(lines) or early > _VERSES * len(pairs)


def _first_word(line: Line) -> float:
    """About the width of the first word and a space."""
    length = line.text.find(" ") % (len(line.text) + 1)
    return (length + 1) * (line.right - line.left) / max(len(line.text), 1)


def _begins(first: Line, above: Line, line: Line, leading: float, right: float) -> bool:
    """Whether `line` begins a paragraph; `first` is the first line of the open one."""
    if above.hyphen or above.text.endswith(_HYPHENS):
        return False
    gap = above.y - line.y
    if _BULLET.match(line.text) or _BOX.match(line.text) or abs(line.size - above.size) > 0.1 * above.size:
        return True
    finished = bool(_FINISHED.search(above.text))
    if gap < 0:  # the top of the next column
        return finished
    listed = bool(_BULLET.match(first.text) or _NUMBERED.match(first.text))
    if _NUMBERED.match(line.text) and (finished or listed):
        return True
    indented = 0.9 * line.size < line.left - above.left < 4 * line.size and not listed
    short = above.right < right - 0.2 * (right - above.left) and finished
    return gap > 1.35 * min(leading, 1.6 * line.size) or indented or short


def _paragraph(lines: Sequence[Line], page: int, words: frozenset[str], right: float) -> Paragraph:
    text = lines[0].text
    for above, line in pairwise(lines):
        text = join_lines(text, line.text, above.hyphen, words)
    last = lines[-1]
    full = last.right >= right - 0.2 * (right - last.left)
    text = _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else text
    return Paragraph(text, page, last.size, last.hyphen or (full and not _FINISHED.search(text)))


def join_lines(text: str, following: str, broken: bool, words: frozenset[str]) -> str:
    """Two lines joined. A word broken between them is mended; `broken` says that the line certainly ends with one."""
    stem = text if broken else next((text[:-1] for hyphen in _HYPHENS if text.endswith(hyphen)), None)
    before = _WORD.search(stem[-40:][::-1]) if stem and stem[-1:].isalpha() else None
    after = _WORD.match(following)
    if stem is None or not before or not after:
        return text + following if stem and following[:1].isalnum() else f"{text} {following}"
    left, right = before.group()[::-1], after.group()
    if right.lower() in _LOOSE:
        return f"{stem}- {following}"
    if right[1:].isupper() and left.isupper():
        return stem + following  # a word in capitals
    real = not broken and (_NAMED.search(stem) or _is_compound(left, right, words))
    return f"{stem}-{following}" if real or right[0].isupper() else stem + following


def _is_compound(left: str, right: str, words: frozenset[str]) -> bool:
    """Whether a word has this hyphen: the document has it so, or both halves are words and the whole is none."""
    left, right = left.lower(), right.lower()
    if left + right in words or f"{left}-{right}" in words:
        return left + right not in words
    language = _language(words)
    left = left.rpartition("-")[2]
    if language not in _HYPHENATED or min(len(left), len(right)) < _MIN_HALF:
        return False
    halves = min(find_frequency(left, language), find_frequency(right, language))
    return halves >= _COMMON and not find_frequency(left + right, language)


@lru_cache(maxsize=8)
def _language(words: frozenset[str]) -> str:
    """The language of most of these words, as its function words tell."""
    return max(FUNCTION_WORDS, key=lambda code: len(words & FUNCTION_WORDS[code]))


T = TypeVar("T")


def carry_sentences(items: Iterable[T]) -> list[T | Paragraph]:
    """The items, with each sentence that continues on the next page moved to the page on which it begins."""
    found: list[T | Paragraph] = []
    for item in items:
        before = found[-1] if found else None
        if isinstance(item, Paragraph) and isinstance(before, Paragraph) and (cut := _find_rest(before, item)):
            text, rest = join_lines(before.text, item.text[:cut].rstrip(), False, frozenset()), item.text[cut:]
            found[-1] = replace(before, text=text, open=item.open and not rest)
            found += [replace(item, text=rest)] if rest else []
        else:
            found.append(item)
    return found


def _find_rest(before: Paragraph, after: Paragraph) -> int:
    """How many letters of a paragraph belong to the last sentence of the page before. None if they are too many."""
    if not before.open or after.page != before.page + 1 or after.size != before.size or _BULLET.match(after.text):
        return 0
    cut = next(sentence_starts(after.text), len(after.text))
    return cut if cut <= _MAX_TAIL_LENGTH else 0
