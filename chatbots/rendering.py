"""An answer as HTML: Markdown made safe, then its [n] as links to the margin notes, and what the notes quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from chatbots.citations import linked
from chatbots.models import MessageSource
from corpus.rendering import render_markdown

_TAG = re.compile(r"(<[^>]+>)")
_SIGNS = ("\ue002", "\ue003")  # of the private use area: stand for a marker while Markdown is rendered
_MARKER = re.compile(rf"{_SIGNS[0]}(\d{{1,3}}){_SIGNS[1]}")
_QUOTED = re.compile(r"“([^”]{8,})”")
_WINDOW = 260
"""Characters of a passage that a margin note shows."""


def render_answer(text: str, sources: Sequence[MessageSource]) -> SafeString:
    """HTML of a checked answer. Its only links are its citations; a number without a source stays plain text."""
    by_number = {source.number: source for source in sources}
    signed = linked(text.replace(_SIGNS[0], "").replace(_SIGNS[1], ""), _SIGNS)
    parts = _TAG.split(render_markdown(signed, links=False))
    for index, part in enumerate(parts):
        if not part.startswith("<"):
            parts[index] = _MARKER.sub(lambda match: _cite(match, by_number, text), part)
    return mark_safe("".join(parts))  # noqa: S308 - made of nh3's output and escaped templates


@dataclass(frozen=True)
class Quote:
    """An extract of a passage in three parts; `marked` is what the answer quotes, and may be empty."""

    before: str
    marked: str
    after: str


def quote(source: MessageSource, answer: str) -> Quote:
    """What a margin note shows: the passage around the words that the answer quotes, else its beginning."""
    quoted = [" ".join(words.split()) for words in _QUOTED.findall(answer)]
    for text in (source.excerpt, source.text):
        flat = " ".join(text.split())
        found = max((words for words in quoted if words in flat), key=len, default="")
        if found:
            start = flat.index(found)
            left = max(0, start - max(0, _WINDOW - len(found)) // 2)
            right = max(start + len(found), left + _WINDOW)
            return Quote(
                before="…" + flat[left:start].partition(" ")[2] if left else flat[:start],
                marked=found,
                after=_shortened(flat[start + len(found) : right], more=right < len(flat)),
            )
    flat = " ".join(source.excerpt.split())
    return Quote(_shortened(flat[:_WINDOW], more=len(flat) > _WINDOW), "", "")


def _shortened(text: str, *, more: bool) -> str:
    return text.rsplit(" ", 1)[0] + "…" if more else text


def _cite(match: re.Match[str], sources: dict[int, MessageSource], answer: str) -> str:
    source = sources.get(int(match[1]))
    if source is None:
        return f"[{escape(match[1])}]"
    return render_to_string(
        "chatbots/_cite.html", {"source": source, "extract": quote(source, answer)}
    ).strip()
