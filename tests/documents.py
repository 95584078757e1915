"""Builders of small real files of every kind that can be read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import docx
import openpyxl
import pptx
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
LEADING = 14
Line = str | tuple[str, float]  # text, or text and size; "" is a blank line

MARKDOWN = """\
---
title: Cells and Energy
---
# Module 1: Cells

Every living thing is made of cells.

## Chapter 1: Parts of a Cell

### Organelles

The mitochondrion releases energy from sugar. The ribosome builds proteins.

| Organelle | Task |
| --- | --- |
| Nucleus | keeps the DNA |
| Chloroplast | catches light |

## Chapter 2: Energy

Plants store energy as starch.
"""

PLAIN = """\
Field trip to the harbour

We meet at 7:45 in front of the gym.
Bring rain clothes and a packed lunch.

The bus is back at about 16:30.
"""


def old_office(*streams: str) -> bytes:
    """What tells an old Office file (OLE): its mark, and the directory with the names of these streams."""
    entries = [("Root Entry", 5), *((name, 2) for name in streams)]
    directory = (
        name.encode("utf-16-le").ljust(64, b"\0") + bytes([2 * len(name) + 2, 0, kind]) + bytes(61)
        for name, kind in entries
    )
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + b"".join(directory)


_NCX = "http://www.daisy.org/z3986/2005/ncx/"
_XHTML = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
    "<body>{}</body></html>"
)


def pdf(
    pages: Sequence[Iterable[Line]],
    *,
    outline: Iterable[tuple[str, int, int]] = (),
    title: str = "",
    header: str | Sequence[str] = "",
    footer: str = "",
    password: str = "",
) -> bytes:
    """A PDF with these lines on these pages, 11 points unless told.

    `outline` holds (title, level from 0, page from 1). `header` is one for all pages or one for each; `#` in it
    and in `footer` becomes the page number.
    A page without lines stays blank, without header and footer.
    """
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, encrypt=StandardEncryption(password) if password else None)
    canvas.setTitle(title)
    entries = list(outline)
    for number, lines in enumerate(pages, start=1):
        for text, level, page in entries:
            if page == number:
                canvas.bookmarkPage(text)
                canvas.addOutlineEntry(text, text, level)
        head = header if isinstance(header, str) else header[number - 1]
        _draw(canvas, list(lines), head.replace("#", str(number)), footer.replace("#", str(number)))
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _draw(canvas: Any, lines: list[Line], header: str, footer: str) -> None:
    if not lines:
        return
    canvas.setFont("Helvetica", 9)
    canvas.drawString(72, HEIGHT - 40, header)
    canvas.drawCentredString(WIDTH / 2, 36, footer)
    y = HEIGHT - 96
    for line in lines:
        text, size = line if isinstance(line, tuple) else (line, 11.0)
        y -= LEADING * max(1.0, size / 11)
        canvas.setFont("Helvetica", size)
        canvas.drawString(72, y, text)


def scan(pages: int = 2) -> bytes:
    """A PDF whose pages hold a drawing and no text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for _ in range(pages):
        canvas.rect(72, 72, WIDTH - 144, HEIGHT - 144, fill=1)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def long_pdf(pages: int = 50) -> bytes:
    """Chapters of five pages, some 400 different words a page, with an outline, headers and page numbers."""
    content: list[list[Line]] = []
    outline = []
    for number in range(1, pages + 1):
        lines: list[Line] = []
        if number % 5 == 1:
            chapter = f"Chapter {number // 5 + 1}"
            outline.append((chapter, 0, number))
            lines.append((chapter, 18))
        for line in range(40):
            subject = ("iron", "copper", "carbon", "water", "sulfur")[(number + line) % 5]
            lines.append(f"Experiment {number}.{line} heats {subject} to {number * 7 + line} degrees and weighs it.")
        content.append(lines)
    return pdf(content, outline=outline, header="Chemistry handbook", footer="Page #")


def word(*blocks: tuple[str, str] | list[list[str]], title: str = "") -> bytes:
    """A Word document: blocks are (style, text) paragraphs or tables as lists of rows."""
    document = docx.Document()
    document.core_properties.title = title
    for block in blocks:
        if isinstance(block, list):
            table = document.add_table(len(block), len(block[0]))
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        else:
            style, text = block
            document.add_paragraph(text, style=style)
    return saved(document)


def presentation(*slides: tuple[str, Sequence[str]], title: str = "") -> bytes:
    """A PowerPoint presentation: slides are (title, items of the list below it)."""
    deck = pptx.Presentation()
    deck.core_properties.title = title
    for heading, items in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(items)
    return saved(deck)


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]], *, title: str = "") -> bytes:
    """An Excel workbook: rows of values by the names of the sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    book.properties.title = title
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return saved(book)


def web_page(body: str, *, title: str = "", head: str = "") -> bytes:
    """An HTML page in UTF-8 that says so."""
    return f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>{head}</head>{body}</html>'.encode()


def book() -> bytes:
    """A textbook of two files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("module-1/cells.md", MARKDOWN)
        archive.writestr("module-2/plants.md", "# Plants\n\nThey are green.\n")
    return buffer.getvalue()


def ebook(*chapters: tuple[str, str], title: str = "A book", contents: str = "nav", **more: str) -> bytes:
    """An EPUB with a chapter a file: (title in the table of contents, body). Without a title it is not listed there.

    `contents` is "nav" (EPUB 3), "ncx" (EPUB 2) or "". `more` are further parts, "__" standing for "/".
    """
    names = [f"chapter{number}.xhtml" for number in range(1, len(chapters) + 1)]
    links = [(words, name) for (words, _), name in zip(chapters, names, strict=True) if words]
    nav = "".join(f'<li><a href="text/{name}#top">{words}</a></li>' for words, name in links)
    ncx = "".join(
        f'<navPoint><navLabel><text>{words}</text></navLabel><content src="text/{name}"/></navPoint>'
        for words, name in links
    )
    tables = {
        "nav": (
            "nav.xhtml",
            'application/xhtml+xml" properties="nav',
            _XHTML.format(f"<nav><ol>{nav}</ol></nav>"),
        ),
        "ncx": ("toc.ncx", "application/x-dtbncx+xml", f'<ncx xmlns="{_NCX}"><navMap>{ncx}</navMap></ncx>'),
    }
    name, kind, table = tables.get(contents, ("", "", ""))
    items = "".join(f'<item id="{n}" href="text/{n}" media-type="application/xhtml+xml"/>' for n in names)
    items += f'<item id="contents" href="{name}" media-type="{kind}"/>' if name else ""
    spine = "".join(f'<itemref idref="{item}"/>' for item in (["contents"] if contents == "nav" else []) + names)
    parts = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><metadata><title>{title}</title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        **({f"OPS/{name}": table} if name else {}),
        **{f"OPS/text/{n}": _XHTML.format(body) for n, (_, body) in zip(names, chapters, strict=True)},
        **{name.replace("__", "/"): text for name, text in more.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def open_document(kind: str, body: str, styles: str = "", **more: str) -> bytes:
    """An OpenDocument text, spreadsheet or presentation. `more` are further parts, "__" standing for "/"."""
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"'
        for name, uri in {
            **dict.fromkeys(("office", "text", "table", "style", "presentation"), ""),
            **{"draw": "drawing", "fo": "xsl-fo-compatible", "svg": "svg-compatible"},
        }.items()
        for uri in (uri or name,)
    )
    root = (
        f'<office:document-content{spaces} xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", root)
        for name, text in more.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


def saved(document: Any) -> bytes:
    """The bytes of a Word document, a presentation or a workbook."""
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()
