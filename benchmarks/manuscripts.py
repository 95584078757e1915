"""The same text in every format that people upload, to compare how fast each is indexed."""

from __future__ import annotations

import csv
import io
import random
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape

from benchmarks.ground import ROOT
from tests import documents

TEXTS = ROOT / "demo" / "content"
WORDS = 400  # of a page, as in a book
PARAGRAPH = 80
COLUMNS, ROWS = 84, 36  # characters and lines of a page of the PDF, at 11 points


@dataclass(frozen=True)
class Paragraph:
    """Text, or a heading of level 1 (every ten pages) or 2 (every two)."""

    text: str
    level: int = 0


def manuscript(pages: int) -> list[Paragraph]:
    """Sentences of the demo's documents in random order: no two paragraphs of it say the same."""
    draw = random.Random(1)  # noqa: S311
    sentences = _sentences()
    found: list[Paragraph] = []
    for number in range(pages * WORDS // PARAGRAPH):
        if number % (10 * WORDS // PARAGRAPH) == 0:
            found.append(Paragraph(f"Module {number // 50 + 1}", level=1))
        if number % (2 * WORDS // PARAGRAPH) == 0:
            found.append(Paragraph(f"Section {number // 10 + 1}", level=2))
        found.append(Paragraph(_some(sentences, draw)))
    return found


def changed(paragraphs: Sequence[Paragraph], percent: int, *, spread: bool) -> list[Paragraph]:
    """The same with so many per cent of its paragraphs written anew: in one place, or spread over all of it."""
    draw = random.Random(2 + spread)  # noqa: S311
    sentences = _sentences()
    numbers = [number for number, paragraph in enumerate(paragraphs) if not paragraph.level]
    count, step = max(1, len(numbers) * percent // 100), max(1, round(100 / percent))
    chosen = numbers[step // 2 :: step] if spread else numbers[len(numbers) // 3 :][:count]
    found = list(paragraphs)
    for number in chosen:
        found[number] = replace(found[number], text=_some(sentences, draw))
    return found


def markdown(paragraphs: Sequence[Paragraph]) -> bytes:
    return "\n\n".join("#" * p.level + " " * bool(p.level) + p.text for p in paragraphs).encode()


def plain(paragraphs: Sequence[Paragraph]) -> bytes:
    return "\n\n".join(textwrap.fill(p.text, COLUMNS) for p in paragraphs).encode()


def word(paragraphs: Sequence[Paragraph]) -> bytes:
    return documents.word(*((f"Heading {p.level}" if p.level else "Normal", p.text) for p in paragraphs))


def pdf(paragraphs: Sequence[Paragraph]) -> bytes:
    """With the headings in larger letters and page numbers; each module begins on a new page, as in a book."""
    pages: list[list[documents.Line]] = []
    for paragraph in paragraphs:
        lines: list[documents.Line] = ["", *textwrap.wrap(paragraph.text, COLUMNS)]
        if paragraph.level:
            lines = ["", (paragraph.text, 20.0 - 4 * paragraph.level)]
        if not pages or paragraph.level == 1:
            pages.append([])
        for line in lines:
            if len(pages[-1]) == ROWS:
                pages.append([])
            pages[-1].append(line)
    return documents.pdf(pages, footer="Page #")


def web_page(paragraphs: Sequence[Paragraph]) -> bytes:
    return documents.web_page(f"<body>{_html(paragraphs)}</body>", title="Text")


def ebook(paragraphs: Sequence[Paragraph]) -> bytes:
    """A file of the book for each module."""
    return documents.ebook(*((module[0].text, _html(module)) for module in _under(paragraphs, 1)))


def presentation(paragraphs: Sequence[Paragraph]) -> bytes:
    """A slide for each two paragraphs: fuller than people's slides are."""
    slides: list[tuple[str, list[str]]] = []
    for section in _under(paragraphs, 2):
        texts = [p.text for p in section if not p.level]
        slides += [(section[0].text, texts[start : start + 2]) for start in range(0, len(texts), 2)]
    return documents.presentation(*slides)


def workbook(paragraphs: Sequence[Paragraph]) -> bytes:
    """A sheet for each module, with a row for each paragraph."""
    modules = _under(paragraphs, 1)
    return documents.workbook({module[0].text: [("Number", "Text"), *_rows(module)] for module in modules})


def separated(paragraphs: Sequence[Paragraph]) -> bytes:
    """The same rows as lines of one CSV file."""
    text = io.StringIO()
    csv.writer(text).writerows([("Number", "Text"), *_rows(paragraphs)])
    return text.getvalue().encode()


FORMATS: dict[str, tuple[str, Callable[[Sequence[Paragraph]], bytes]]] = {
    "Markdown": ("text.md", markdown),
    "plain text": ("text.txt", plain),
    "HTML": ("text.html", web_page),
    "EPUB": ("text.epub", ebook),
    "DOCX": ("text.docx", word),
    "PPTX": ("text.pptx", presentation),
    "XLSX": ("text.xlsx", workbook),
    "CSV": ("text.csv", separated),
    "PDF": ("text.pdf", pdf),
}
"""Of each format a file's name and how it is written."""


def _html(paragraphs: Sequence[Paragraph]) -> str:
    tags = (f"h{p.level}" if p.level else "p" for p in paragraphs)
    return "".join(f"<{tag}>{escape(p.text)}</{tag}>" for tag, p in zip(tags, paragraphs, strict=True))


def _rows(paragraphs: Sequence[Paragraph]) -> list[tuple[int, str]]:
    return [(number, p.text) for number, p in enumerate((p for p in paragraphs if not p.level), 1)]


def _under(paragraphs: Sequence[Paragraph], level: int) -> list[list[Paragraph]]:
    """The paragraphs under each heading of a level, that heading first; what stands before the first is left out."""
    found: list[list[Paragraph]] = []
    for paragraph in paragraphs:
        if paragraph.level == level:
            found.append([paragraph])
        elif found and (not paragraph.level or paragraph.level > level):
            found[-1].append(paragraph)
    return found


def _sentences() -> list[str]:
    """All sentences of the demo's Markdown, 5 to 40 words each, in the order in which they stand."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("**/*.md")))
    found = (s for text in texts for line in text.split("\n") for s in re.split(r"(?<=[.?!])\s+", line))
    return [s for s in dict.fromkeys(found) if re.fullmatch(r"[A-Z][^|#]*[.?!]", s) and 5 <= s.count(" ") <= 40]


def _some(sentences: Sequence[str], draw: random.Random) -> str:
    """A paragraph of some PARAGRAPH words."""
    text = draw.choice(sentences)
    while text.count(" ") < PARAGRAPH - 10:
        text += " " + draw.choice(sentences)
    return text
