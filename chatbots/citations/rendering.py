"""An answer as HTML with its [n] as links to the margin notes, and the quotes in these notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from chatbots.citations.markers import PLACEHOLDER, replace_markers
from chatbots.citations.table_citations import find_cited_rows, find_quotations, select_cells
from chatbots.models import SourceSnapshot
from corpus.certainty import Level
from corpus.reading.blocks import find_span
from corpus.reading.formulas import FORMULA
from corpus.reading.rendering import render_markdown
from text.tables import body_rows, drop_tables, make_readable, make_readable_line

_TAG = re.compile(r"(<[^>]+>)")
_INLINE_TAG = re.compile(r"</?(?:strong|em|code|del)>")
_UNFOUNDED = ("\ue004", "\ue005")
_SAID = ("\ue006", "\ue007")
_MARKS = [
    (re.compile("{0}([^{0}{1}]*){1}|[{0}{1}]".format(*signs)), mark)  # or a lone sign of a split pair
    for signs, mark in (
        (_UNFOUNDED, '<mark class="unfounded" title="In none of the passages">{}</mark>'),
        (_SAID, '<mark class="said">{}</mark>'),
    )
]
_MARKUP = re.compile(r"[*_`\[\]$|\\<>]")
_MIN_WORDS = 2
"""Characters of an answer that is marked."""
_WINDOW = 260
"""Characters of a passage that a margin note shows."""
_ROWS, _CELLS = 3, 8  # rows and cells of a table in a margin note


def render_answer(
    text: str,
    sources: Sequence[SourceSnapshot],
    *,
    support: Mapping[str, Sequence[object]] | None = None,
    unfounded: Sequence[Sequence[int]] = (),
    said: str = "",
) -> SafeString:
    """HTML of a checked answer. Its only links are its citations; a number without a source stays plain text.

    `support` maps a marker's index to its verdict and the number of a better source; `unfounded` are the spans
    (start, end) of sentences, numbers and names that occur in no source, which are highlighted. So are, once, the words
    `said` where the answer quotes them.
    """
    by_number, verdicts = {source.number: source for source in sources}, support or {}
    with_placeholders = replace_markers(_with_signs(text, unfounded, _quoted_span(text, said)))

    extract = cache(lambda number: make_quote(by_number[number], text))

    @cache
    def cite(number: int, state: object, better: Any) -> str:
        context = {"source": by_number[number], "extract": extract(number), "support": state}
        context["better"] = by_number.get(better) if better else None
        return render_to_string("chatbots/_citation.html", context).strip()

    def cite_marker(match: re.Match[str]) -> str:
        number = int(match[1])
        return cite(number, *verdicts.get(match[2], ("", None))) if number in by_number else f"[{escape(match[1])}]"

    parts = _TAG.split(render_markdown(with_placeholders, links=False))
    is_open = False
    for index, part in enumerate(parts):
        if part.startswith("<"):
            is_open = is_open and bool(_INLINE_TAG.match(part))
            continue
        opening, closing = _UNFOUNDED
        part = opening * is_open + part
        is_open = part.rfind(opening) > part.rfind(closing) and any(closing in one for one in parts[index + 1 :])
        part += closing * is_open  # a mark ends before a tag and begins again after it
        for pattern, mark in _MARKS:
            part = pattern.sub(partial(_marked, mark), part)
        parts[index] = PLACEHOLDER.sub(cite_marker, part)
    return mark_safe("".join(parts))  # noqa: S308 - made of nh3's output and escaped templates


def render_unfinished(text: str, citations: Mapping[int, str]) -> SafeString:
    """HTML of blocks of an answer that is being written, as `render_answer` makes it, with these citations."""
    parts = _TAG.split(render_markdown(replace_markers(text), links=False))
    for index, part in enumerate(parts):
        if not part.startswith("<"):
            parts[index] = PLACEHOLDER.sub(lambda match: citations.get(int(match[1]), f"[{match[1]}]"), part)
    return mark_safe("".join(parts))  # noqa: S308 - made of nh3's output and escaped templates


def render_plain_citations(sources: Iterable[SourceSnapshot]) -> dict[int, str]:
    """HTML by number of the citations of growing text. Nothing is checked yet, so they only lead to their notes."""
    return {one.number: render_to_string("chatbots/_plain_citation.html", {"source": one}) for one in sources}


Cells = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Quote:
    """An extract of a passage, with the words that the answer quotes in `marked`; or rows of a table, each of
    (header, value) pairs: `cited` if the answer names them, with `more` that are not shown. `said` are the words in
    `marked` that answer the question."""

    before: str = ""
    marked: str = ""
    after: str = ""
    said: str = ""
    rows: Sequence[Cells] = ()
    cited: bool = False
    more: int = 0

    @property
    def short(self) -> str:
        """The first row, the quoted words or the beginning."""
        first = self.rows[0] if self.rows else ()
        cells = " · ".join(f"{header}: {value}" if header else value for header, value in first)
        return cells or self.marked or self.before


def make_quote(source: SourceSnapshot, answer: str) -> Quote:
    """What a margin note shows of a passage: the rows that the answer names, else the text around the words that it
    quotes, else the beginning."""
    text, start, end = locate_passage(source)
    cited = find_cited_rows(text, start, end, answer=answer, number=source.number)
    if cited:
        rows = [select_cells(one, _CELLS) for one in cited[:_ROWS]]
        return Quote(rows=rows, cited=True, more=len(cited) - len(rows))
    found = body_rows(text, start, end)
    if found and not drop_tables(text[start:end]).strip():
        return Quote(rows=[row.fields[:_CELLS] for row in found[:_ROWS]], more=max(0, len(found) - _ROWS))
    said = make_readable_line(getattr(source, "answer_words", ""))
    shown = _extract((make_readable(text, start, end), make_readable(source.text)), answer, said)
    may_not_answer = said and getattr(source, "level", None) != Level.ANSWERS
    return _without_answer(shown, answer) if may_not_answer else shown


def locate_passage(source: SourceSnapshot) -> tuple[str, int, int]:
    """A text that the model read, and (start, end) of the passage in it."""
    span = find_span(source.excerpt, source.text)
    return (source.text, *span) if span else (source.excerpt, 0, len(source.excerpt))


def _extract(texts: Sequence[str], answer: str, said: str) -> Quote:
    """The longest quotation with the text around it, from the first text that contains one; else what the reader took
    for the answer."""
    quoted = [make_readable_line(words) for words in find_quotations(answer)]
    flat = [make_readable_line(text) for text in texts]
    for text in flat:
        found = max((words for words in quoted if words in text), key=len, default="") or (said in text and said)
        if found:
            start = text.index(found)
            left = max(0, start - max(0, _WINDOW - len(found)) // 2)
            right = max(start + len(found), left + _WINDOW)
            left = next((m.start() for m in FORMULA.finditer(text) if m.start() < left < m.end()), left)
            return Quote(
                before="…" + text[left:start].partition(" ")[2] if left else text[:start],
                marked=found,
                after=_cut(text, start + len(found), right),
                said=said if said in found and said != found else "",
            )
    return Quote(_cut(flat[0], 0, _WINDOW))


def _without_answer(quote: Quote, answer: str) -> Quote:
    """The same extract, of which only what the answer quotes is marked: the passage may not answer."""
    quoted = any(quote.marked == make_readable_line(words) for words in find_quotations(answer))
    if quoted or not quote.marked:
        return replace(quote, said="")
    return Quote(before=quote.before + quote.marked + quote.after)


def _cut(text: str, start: int, end: int) -> str:
    """text[start:end], cut between words and never within a formula."""
    if end >= len(text):
        return text[start:]
    end = max(start, text.rfind(" ", start, end))
    end = next((m.end() for m in FORMULA.finditer(text) if m.start() < end < m.end()), end)
    return text[start:end] + "…"


def _marked(mark: str, match: re.Match[str]) -> str:
    return mark.format(match[1]) if match[1] else ""


def _quoted_span(text: str, words: str) -> tuple[int, int] | None:
    """Where a quotation in the text has these words; None if they would cut through markup."""
    words = " ".join(words.split())
    if len(words) < _MIN_WORDS or _MARKUP.search(words):
        return None
    for quotation in find_quotations(text):
        place = quotation.find(words)
        if place >= 0:
            start = text.index(quotation) + place
            return start, start + len(words)
    return None


def _with_signs(text: str, unfounded: Sequence[Sequence[int]], said: tuple[int, int] | None) -> str:
    """Remove our signs from the text and put them around the unfounded spans, and around what was said."""
    text = text.translate(dict.fromkeys(map(ord, _UNFOUNDED + _SAID), " "))
    spans = [(start, end, _UNFOUNDED) for start, end in unfounded]
    if said and all(end <= said[0] or said[1] <= start for start, end in unfounded):
        spans.append((*said, _SAID))
    for start, end, (opening, closing) in sorted(spans, reverse=True):
        text = f"{text[:start]}{opening}{text[start:end]}{closing}{text[end:]}"
    return text
