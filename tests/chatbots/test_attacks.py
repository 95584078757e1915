"""Hostile text as HTML, without a browser: see tests/browser/test_attacks.py for what one makes of it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from chatbots.citations.rendering import render_answer
from chatbots.models import MessageSource
from corpus.reading.formulas import MATHML_ATTRIBUTES, MATHML_TAGS, render_formulas
from corpus.reading.rendering import MAX_LENGTH, render_markdown
from tests.attacks import PAYLOADS

each = pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
PLAIN = {
    "p",
    "br",
    "hr",
    "strong",
    "em",
    "s",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "div",
    "span",
    "b",
    "mark",
}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
NAMES = {
    "dir",
    "lang",
    "class",
    "href",
    "data-note",
    "aria-label",
    "role",
    "tabindex",
    "start",
    "title",
    "target",
    "rel",
}


class Elements(HTMLParser):
    """All elements of an HTML text, and their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in MATHML_TAGS:
            self.names |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]


@each
def test_an_answer_has_no_links_but_its_citations(payload: str) -> None:
    source = MessageSource(number=1, kind="personal", document_title=payload[:200], excerpt=payload, text=payload)
    found = Elements(render_answer(f"It is so [1]. {payload}\n\n{payload} [1]", [source], unfounded=[[0, 2]]))
    assert found.tags <= PLAIN | TABLES | MATHML_TAGS | {"a"}
    assert found.names <= NAMES
    assert set(found.links) <= {f"#note-{source.pk}"}


@each
def test_a_document_has_no_links_but_to_the_web_and_to_mail(payload: str) -> None:
    found = Elements(render_markdown(payload))
    assert found.tags <= PLAIN | TABLES | MATHML_TAGS | {"a"}
    assert found.names <= NAMES
    assert all(link.startswith(("https://", "http://", "mailto:")) for link in found.links)


@each
def test_in_plain_text_nothing_but_formulas_is_set(payload: str) -> None:
    found = Elements(render_formulas(payload))
    assert found.tags <= MATHML_TAGS
    assert found.names <= set().union(*MATHML_ATTRIBUTES.values())
    assert not found.links


def test_an_answer_beyond_its_length_is_cut_before_it_is_rendered() -> None:
    html = render_answer("x " * MAX_LENGTH + "end", [])
    assert "end" not in html
    assert len(html) < 2 * MAX_LENGTH
