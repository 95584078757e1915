"""Markdown that others wrote, as HTML that can do no harm: of documents and of answers alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST = 32_000
"""Characters that are rendered; what is longer is cut (an answer or a block of a document is far below)."""

_START, _END = "\ue000", "\ue001"  # of the private use area: stand for the ends of the marked passage
_TAG = re.compile(r"(<[^>]*>)")
_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
# Lines that are syntax alone: a fence, a rule or underline, the line below a table's head.
_SYNTAX = re.compile(r"\s*(?:(?:```|~~~).*|[-=*_\s]*|\|?[\s:|-]+)$")
# What may stand before the words of a line: indentation, marks of lists, quotes, headings and cells.
_LEAD = re.compile(r"\s*(?:(?:[-*+>|]|\d{1,9}[.)]|#{1,6})\s*(?=\s|$|[|>]))*(?:[|>]\s*)?\s*")


def render_markdown(text: str, *, links: bool = True) -> SafeString:
    """Markdown, or plain text, as safe HTML.

    HTML in the text is shown, not obeyed; pictures become their description, headings bold lines (the page has its
    own); links lead only to http, https and mailto, in a new tab. There are no style, class or id attributes.
    """
    return mark_safe(_safe_html(_without_signs(text)[:LONGEST], links=links))  # noqa: S308 - cleaned by nh3


def render_passage(text: str, start: int, end: int) -> SafeString:
    """The same, with text[start:end] inside <mark> elements; the first has the id "passage".

    The passage may begin and end anywhere, also inside a list, a table or a code block. Offsets are in characters;
    0 <= start <= end <= len(text).
    """
    text = _without_signs(text)[:LONGEST]
    first, last = _inner(text, start, min(end, len(text)))
    signed = text[:first] + _START + text[first:last] + _END + text[last:]
    html = _safe_html(signed)
    if html.count(_START) == html.count(_END) == 1:
        return mark_safe(_marked(html))  # noqa: S308 - cleaned by nh3
    parts = [text[:start], _START + text[start:end] + _END, text[end:]]
    return mark_safe("".join(_marked(_safe_html(part)) for part in parts))  # noqa: S308 - cleaned by nh3


def _safe_html(text: str, *, links: bool = True) -> str:
    return nh3.clean(
        (_MARKDOWN if links else _WITHOUT_LINKS).render(text),
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        attribute_filter=_only_safe,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _only_safe(tag: str, attribute: str, value: str) -> str | None:
    """Absolute links and the numbers of lists; nothing in which a ">" could stand."""
    if attribute == "href" and not value.lower().startswith(("http://", "https://", "mailto:")):
        return None
    return value if attribute in ("href", "start", "target", "rel") else None


def _without_signs(text: str) -> str:
    # One character for one, so that offsets stay true.
    return text.replace(_START, " ").replace(_END, " ").replace("\0", " ")


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """The same passage without the syntax at its ends, where a sign would change what the Markdown means."""
    lines, offset = [], start
    for line in text[start:end].splitlines(keepends=True):
        if not _SYNTAX.match(line.rstrip("\n")):
            lines.append((offset, line))
        offset += len(line)
    if not lines:
        return start, end
    (first, opening), (last, closing) = lines[0], lines[-1]
    if first == 0 or text[first - 1] == "\n":
        lead = _LEAD.match(opening)
        first += lead.end() if lead else 0
    return first, max(first, last + len(closing.rstrip().rstrip("|").rstrip()))


def _marked(html: str) -> str:
    """HTML whose signs have become <mark> elements, one around each run of text between tags."""
    parts, inside, seen = [], False, False
    for part in _TAG.split(html):
        if part.startswith("<"):
            parts.append(part.replace(_START, "").replace(_END, ""))
            continue
        for piece in re.split(f"([{_START}{_END}])", part):
            if piece in (_START, _END):
                inside = piece == _START
            elif inside and piece.strip():
                parts.append(f"<mark>{piece}</mark>" if seen else f'<mark id="passage">{piece}</mark>')
                seen = True
            else:
                parts.append(piece)
    return "".join(parts)


def _picture(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    words = renderer.renderInlineAsText(tokens[index].children or [], options, env)
    return f"[Picture: {escape(words)}]" if words else "[Picture]"


def _parser() -> MarkdownIt:
    # "js-default" is CommonMark with tables and strikethrough, HTML and linkify off. Indented code is off too:
    # plain text often indents its paragraphs.
    parser = MarkdownIt("js-default").disable("code")
    parser.add_render_rule("image", _picture)
    parser.add_render_rule("heading_open", lambda *_: "<p><strong>")
    parser.add_render_rule("heading_close", lambda *_: "</strong></p>\n")
    return parser


_MARKDOWN = _parser()
_WITHOUT_LINKS = _parser().disable(["link", "autolink", "reference"])
