"""An answer as HTML: Markdown made safe, then its [n] as links to the margin notes, and what the notes quote."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from chatbots.citations.markers import linked
from chatbots.citations.table_citations import cited_rows, quotations, shown_cells
from chatbots.models import MessageSource
from corpus.reading.blocks import find_span
from corpus.reading.formulas import FORMULA
from corpus.reading.rendering import render_markdown
from corpus.reading.tables import readable, readable_line, rows, without_tables

_TAG = re.compile(r"(<[^>]+>)")
_SIGNS = ("\ue002", "\ue003")  # of the private use area: stand for a marker while Markdown is rendered
_MARKER = re.compile(rf"{_SIGNS[0]}(\d{{1,3}}):(\d+){_SIGNS[1]}")
_UNFOUNDED = ("\ue004", "\ue005")
_PAIR = re.compile("{0}([^{0}{1}]*){1}|[{0}{1}]".format(*_UNFOUNDED))  # or one alone, where the text was cut
_MARK = '<mark class="unfounded" title="Stands in none of the passages">{}</mark>'
_WINDOW = 260
"""Characters of a passage that a margin note shows."""
_ROWS, _CELLS = 3, 8  # of a table that a margin note shows


def render_answer(
    text: str,
    sources: Sequence[MessageSource],
    *,
    support: Mapping[str, Sequence[Any]] | None = None,
    unfounded: Sequence[Sequence[int]] = (),
) -> SafeString:
    """HTML of a checked answer. Its only links are its citations; a number without a source stays plain text.

    `support` has, by how many markers stand before it, the state of a marker and the number of a better source;
    `unfounded` are the stretches of the text that stand in no source, to be marked as such.
    """
    by_number = {source.number: source for source in sources}
    signed = linked(_with_signs(text, unfounded), _SIGNS)

    @cache
    def extract(number: int) -> Quote:
        return quote(by_number[number], text)

    parts = _TAG.split(render_markdown(signed, links=False))
    for index, part in enumerate(parts):
        if not part.startswith("<"):
            part = _PAIR.sub(lambda match: _MARK.format(match[1]) if match[1] else "", part)
            parts[index] = _MARKER.sub(lambda match: _cite(match, by_number, extract, support or {}), part)
    return mark_safe("".join(parts))  # noqa: S308 - made of nh3's output and escaped templates


Cells = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Quote:
    """An extract of a passage in three parts, of which `marked` is what the answer quotes and may be empty; or rows
    of a table, each as (header, value), `cited` if the answer names them, and how many `more` there are."""

    before: str = ""
    marked: str = ""
    after: str = ""
    rows: Sequence[Cells] = ()
    cited: bool = False
    more: int = 0

    @property
    def short(self) -> str:
        """What it says, in a line or two."""
        first = self.rows[0] if self.rows else ()
        cells = " · ".join(f"{header}: {value}" if header else value for header, value in first)
        return cells or self.marked or self.before


def quote(source: MessageSource, answer: str) -> Quote:
    """What a margin note shows: the passage around the words that the answer quotes, or the rows that it names, else
    its beginning."""
    text, start, end = where_read(source)
    cited = cited_rows(text, start, end, answer=answer, number=source.number)
    if cited:
        shown = [shown_cells(one, _CELLS) for one in cited[:_ROWS]]
        return Quote(rows=shown, cited=True, more=len(cited) - len(shown))
    found = rows(text, start, end)
    if found and not without_tables(text[start:end]).strip():
        return Quote(rows=[row.cells[:_CELLS] for row in found[:_ROWS]], more=max(0, len(found) - _ROWS))
    return _extract((readable(text, start, end), readable(source.text)), answer)


def where_read(source: MessageSource) -> tuple[str, int, int]:
    """A text that the answerer read, and where in it the passage stands."""
    span = find_span(source.excerpt, source.text)
    return (source.text, *span) if span else (source.excerpt, 0, len(source.excerpt))


def _extract(texts: Sequence[str], answer: str) -> Quote:
    """The words that the answer quotes with those around them, from the first text that has them."""
    quoted = [readable_line(words) for words in quotations(answer)]
    flat = [readable_line(text) for text in texts]
    for text in flat:
        found = max((words for words in quoted if words in text), key=len, default="")
        if found:
            start = text.index(found)
            left = max(0, start - max(0, _WINDOW - len(found)) // 2)
            right = max(start + len(found), left + _WINDOW)
            left = next((m.start() for m in FORMULA.finditer(text) if m.start() < left < m.end()), left)
            return Quote(
                before="…" + text[left:start].partition(" ")[2] if left else text[:start],
                marked=found,
                after=_cut(text, start + len(found), right),
            )
    return Quote(_cut(flat[0], 0, _WINDOW))


def _cut(text: str, start: int, end: int) -> str:
    """text[start:end], cut between words and never within a formula."""
    if end >= len(text):
        return text[start:]
    end = max(start, text.rfind(" ", start, end))
    end = next((m.end() for m in FORMULA.finditer(text) if m.start() < end < m.end()), end)
    return text[start:end] + "…"


def _with_signs(text: str, unfounded: Sequence[Sequence[int]]) -> str:
    """The text without signs of its own, and with ours around what stands in no source."""
    text = text.translate(dict.fromkeys(map(ord, _SIGNS + _UNFOUNDED), " "))
    for start, end in sorted(map(tuple, unfounded), reverse=True):
        text = f"{text[:start]}{_UNFOUNDED[0]}{text[start:end]}{_UNFOUNDED[1]}{text[end:]}"
    return text


def _cite(
    match: re.Match[str],
    sources: dict[int, MessageSource],
    extract: Callable[[int], Quote],
    support: Mapping[str, Sequence[Any]],
) -> str:
    source = sources.get(int(match[1]))
    if source is None:
        return f"[{escape(match[1])}]"
    state, better = support.get(match[2], ("", None))
    context = {
        "source": source,
        "extract": extract(source.number),
        "support": state,
        "better": sources.get(better) if better else None,
    }
    return render_to_string("chatbots/_cite.html", context).strip()
