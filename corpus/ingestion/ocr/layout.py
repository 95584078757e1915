"""Paragraphs from Tesseract's TSV output, which has one word in each row. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import groupby

from corpus.ingestion.readers.pdf.lines import tidy
from corpus.ingestion.readers.pdf.paragraphs import collect_words, join_lines

MIN_CONFIDENCE = 40  # percent, of a word; nearly all correct words have more than 60
MIN_MEAN_CONFIDENCE = 60  # percent, mean of a paragraph; a lower mean is taken for a picture
_ENDS = ".!?:;…"
_WORD_ROW, _COLUMNS = "5", 12


@dataclass(frozen=True)
class _Word:
    paragraph: tuple[str, str]  # numbers of the block and of the paragraph in it
    line: str
    confidence: float  # percent
    text: str


def text_from_tsv(table: str) -> str:
    """The paragraphs of a page, separated by blank lines; "" if there is no text.

    Words with low confidence are left out. So are paragraphs with a low mean and those without letters or digits: they
    are specks, frames or drawings. Malformed rows are skipped.
    """
    found = (list(group) for _, group in groupby(_words(table), key=lambda word: word.paragraph))
    paragraphs: list[str] = []
    for paragraph in filter(None, map(_paragraph, found)):
        if paragraphs and paragraph[0].islower() and paragraphs[-1][-1] not in _ENDS:  # widely spaced lines
            paragraphs[-1] = join_lines(paragraphs[-1], paragraph, False, frozenset())
        else:
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def _words(table: str) -> Iterator[_Word]:
    for row in table.splitlines():
        cells = row.split("\t", _COLUMNS - 1)
        if len(cells) != _COLUMNS or cells[0] != _WORD_ROW or not (text := tidy(cells[-1])):
            continue
        try:
            yield _Word((cells[2], cells[3]), cells[4], float(cells[10]), text)
        except ValueError:
            continue


def _paragraph(words: list[_Word]) -> str:
    letters = sum(len(word.text) for word in words)
    if sum(word.confidence * len(word.text) for word in words) < MIN_MEAN_CONFIDENCE * letters:
        return ""
    kept = [word for word in words if word.confidence >= MIN_CONFIDENCE]
    lines = [" ".join(word.text for word in line) for _, line in groupby(kept, key=lambda word: word.line)]
    known = collect_words(lines)
    text = reduce(lambda above, line: join_lines(above, line, False, known), lines, "").strip()
    return text if re.search(r"[^\W_]{2}|\d", text) else ""
