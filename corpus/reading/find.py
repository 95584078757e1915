"""Search for words in one document, by literal match without case and white space."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from corpus.models import Document
from corpus.numbering import label
from corpus.reading.blocks import BLOCKS_PER_PART, file_info, new_headings
from corpus.reading.locations import format_location
from text.lexemes import RAISED

MAX_MATCHES = 20
"""The most matches that are listed."""
MAX_WORDS_LENGTH = 200
"""Characters of the query. The rest is ignored."""
_TYPED = str.maketrans("".join(RAISED), "".join(RAISED.values()))
_EITHER = {
    sign: f"[{sign}{''.join(raised for raised in RAISED if RAISED[raised] == sign)}]" for sign in RAISED.values()
}
_AROUND = 70  # characters shown before and after a match
_MARKUP = re.compile(r"\s*\|[\s|:-]*|\*\*|`+|^\s*(?:#+|>)\s+", re.MULTILINE)


@dataclass(frozen=True)
class Match:
    """A block with the words: its location, the first match with context, and the number of matches."""

    block: int
    part: int
    location: str
    before: str
    match: str
    after: str
    times: int


@dataclass(frozen=True)
class FindResult:
    """The matches of a query in a document."""

    words: str
    places: list[Match]
    more: bool  # whether there are matches that are not listed

    @property
    def query(self) -> str:
        """The query string of the page that shows this result."""
        return urlencode({"find": self.words})


def build_pattern(words: str) -> re.Pattern[str] | None:
    """A pattern for these words, also where digits are raised or lowered. None for white space only."""
    typed = words[:MAX_WORDS_LENGTH].translate(_TYPED).split()
    parts = ["".join(_EITHER.get(sign) or re.escape(sign) for sign in part) for part in typed]
    return re.compile(r"\s+".join(parts), re.IGNORECASE) if parts else None


def find_words(document: Document, words: str) -> FindResult | None:
    """The matches in headings and text of the version that answers, in order. None without words."""
    pattern = build_pattern(words)
    if pattern is None:
        return None
    info = file_info(document)
    rows = document.chunks.order_by("position").values_list(
        "block", "heading_path", "page", "line_start", "line_end", "text", "file_path", "numbers"
    )
    places: list[Match] = []
    above: list[str] = []
    for block, members in groupby(rows.iterator(), key=lambda row: row[0]):
        group = list(members)
        _, headings, page, first, _, _, file_path, numbers = group[0]
        last = group[-1][4]
        texts = ["".join(row[5] for row in group), " › ".join(new_headings(headings, above))]
        above = headings
        matches = [match for text in texts for match in pattern.finditer(text)]
        if not matches:
            continue
        if len(places) == MAX_MATCHES:
            return FindResult(words[:MAX_WORDS_LENGTH], places, more=True)
        lines = (first, last) if first and last else None
        place = format_location(
            headings,
            page=page,
            page_label=info.label_of_page(page),
            lines=lines,
            media_type=info.media_type,
            file_path=file_path,
            label=label(numbers),
        )
        places.append(Match(block, block // BLOCKS_PER_PART + 1, place, *_shown(matches[0]), len(matches)))
    return FindResult(words[:MAX_WORDS_LENGTH], places, more=False)


def _shown(match: re.Match[str]) -> tuple[str, str, str]:
    """The match with some words before and after it, on one line and without markup."""
    text, (start, end) = match.string, match.span()
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    if start > _AROUND:
        before = "…" + before.partition(" ")[2]
    if end + _AROUND < len(text):
        after = after.rpartition(" ")[0] + "…"
    return _plain(before), " ".join(match[0].split()), _plain(after)


def _plain(text: str) -> str:
    """Text without markup. White space at either end is kept as one space."""
    text = _MARKUP.sub(lambda found: " · " if "|" in found[0] else "", text)
    return " ".join(f"x{text}x".split())[1:-1]
