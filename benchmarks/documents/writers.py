"""Writes a text of `benchmarks.documents.markup` as a file of any format."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.documents.markup import ABOVE, Block, Run

Runs = Sequence[Run]
COVERED = (Run(ABOVE),)


def write_docx(path: Path, blocks: Sequence[Block]) -> None:
    import docx

    document = docx.Document()
    styles = {"title": "Title", "heading": "Heading 1", "step": "List Number", "item": "List Bullet"}
    for block in blocks:
        if block.kind == "table":
            _add_docx_table(document, block)
            continue
        paragraph = document.add_paragraph(style=styles.get(block.kind))
        if block.kind in ("ticked", "unticked"):
            _add_symbol(paragraph.add_run(), "F0FE" if block.kind == "ticked" else "F0A8")
            paragraph.add_run(" ")
        _add_docx_runs(paragraph, block.runs)
    document.save(str(path))


def _add_docx_table(document: Any, block: Block) -> None:
    table = document.add_table(rows=len(block.rows), cols=len(block.rows[0]))
    for i, row in enumerate(block.rows):
        for j, cell in enumerate(row):
            if cell == COVERED:
                continue
            _add_docx_runs(table.cell(i, j).paragraphs[0], cell)
            if (count := block.covered(i, j)) > 1:
                table.cell(i, j).merge(table.cell(i + count - 1, j))


_FONTS = {"raised": "superscript", "lowered": "subscript", "struck": "strike", "hidden": "hidden"}


def _add_docx_runs(paragraph: Any, runs: Runs) -> None:
    for one in runs:
        run = paragraph.add_run(one.text)
        if one.style in _FONTS:
            setattr(run.font, _FONTS[one.style], True)


def _add_symbol(run: Any, code: str) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    symbol = OxmlElement("w:sym")
    symbol.set(qn("w:font"), "Wingdings")
    symbol.set(qn("w:char"), code)
    run._r.append(symbol)


def write_pptx(path: Path, blocks: Sequence[Block]) -> None:
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    slide: Any = None
    for block in blocks:
        if slide is None or block.kind in ("title", "heading"):
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            if block.kind in ("title", "heading"):
                _add_pptx_runs(slide.shapes.title.text_frame.paragraphs[0], block.runs)
                continue
        if block.kind == "table":
            shape = slide.shapes.add_table(
                len(block.rows), len(block.rows[0]), Inches(1), Inches(4), Inches(8), Inches(2)
            )
            for i, row in enumerate(block.rows):
                for j, cell in enumerate(row):
                    if cell != COVERED:
                        _add_pptx_runs(shape.table.cell(i, j).text_frame.paragraphs[0], cell)
                    if (count := block.covered(i, j)) > 1:
                        shape.table.cell(i, j).merge(shape.table.cell(i + count - 1, j))
            continue
        frame = slide.placeholders[1].text_frame
        paragraph = frame.paragraphs[0] if not frame.text else frame.add_paragraph()
        if block.kind == "step":
            from lxml import etree

            numbered = etree.SubElement(
                paragraph._p.get_or_add_pPr(), "{http://schemas.openxmlformats.org/drawingml/2006/main}buAutoNum"
            )
            numbered.set("type", "arabicPeriod")
        _add_pptx_runs(paragraph, block.runs)
    deck.save(str(path))


def _add_pptx_runs(paragraph: Any, runs: Runs) -> None:
    attributes = {"raised": ("baseline", "30000"), "lowered": ("baseline", "-25000"), "struck": ("strike", "sngStrike")}
    for one in runs:
        run = paragraph.add_run()
        run.text = one.text
        if one.style in attributes:
            run._r.get_or_add_rPr().set(*attributes[one.style])


def write_xlsx(path: Path, blocks: Sequence[Block]) -> None:
    """Write all on one sheet: each paragraph in a row of its own, and tables below them.

    A row whose first cell is hidden is a hidden row.
    """
    from openpyxl import Workbook
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    book = Workbook()
    sheet: Any = book.active
    fonts = {"raised": {"vertAlign": "superscript"}, "lowered": {"vertAlign": "subscript"}, "struck": {"strike": True}}
    number = 0

    def fill(row: int, column: int, runs: Runs) -> None:
        parts = [
            TextBlock(InlineFont(**fonts[one.style]), one.text) if one.style in fonts else one.text for one in runs
        ]
        text = "".join(one.text for one in runs)
        plain: object = int(text) if text.isdecimal() else text
        sheet.cell(row, column).value = CellRichText(*parts) if any(one.style in fonts for one in runs) else plain

    for block in blocks:
        if block.kind != "table":
            number += 1
            fill(number, 1, block.runs)
            continue
        number += 1
        for i, row in enumerate(block.rows):
            number += 1
            for j, cell in enumerate(row):
                if cell != COVERED:
                    fill(number, j + 1, cell)
                if (count := block.covered(i, j)) > 1:
                    sheet.merge_cells(
                        start_row=number, end_row=number + count - 1, start_column=j + 1, end_column=j + 1
                    )
            if row[0] and row[0][0].style == "hidden":
                sheet.row_dimensions[number].hidden = True
    book.save(path)


_TAGS = {
    "raised": ("<sup>", "</sup>"), "lowered": ("<sub>", "</sub>"), "struck": ("<del>", "</del>"),
    "hidden": ("<!-- ", " -->"),
}  # fmt: skip


def _as_html(runs: Runs) -> str:
    tagged = ((*_TAGS.get(one.style, ("", "")), escape(one.text, quote=False)) for one in runs)
    return "".join(f"{opening}{text}{closing}" for opening, closing, text in tagged)


def _body(blocks: Sequence[Block]) -> Iterator[str]:
    tags = {"title": "h1", "heading": "h2"}
    lists = {"step": "ol", "item": "ul"}
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        found = list(group)
        if kind in lists:
            yield f"<{lists[kind]}>{''.join(f'<li>{_as_html(one.runs)}</li>' for one in found)}</{lists[kind]}>"
        elif kind == "table":
            yield from map(_html_table, found)
        else:
            box = {"ticked": '<input type="checkbox" checked> ', "unticked": '<input type="checkbox"> '}.get(kind, "")
            tag = tags.get(kind, "p")
            yield from (f"<{tag}>{box}{_as_html(one.runs)}</{tag}>" for one in found)


def _html_table(block: Block) -> str:
    lines = []
    for i, row in enumerate(block.rows):
        tag = "td" if i else "th"
        cells = (
            f'<{tag} rowspan="{block.covered(i, j)}">{_as_html(cell)}</{tag}>'
            for j, cell in enumerate(row)
            if cell != COVERED
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def write_html(path: Path, blocks: Sequence[Block]) -> None:
    title = next((block.text for block in blocks if block.kind == "title"), "Page")
    page = f"<!doctype html><html><head><meta charset='utf-8'><title>{escape(title)}</title></head><body>"
    path.write_text(page + "\n".join(_body(blocks)) + "</body></html>", encoding="utf-8")


def write_epub(path: Path, blocks: Sequence[Block]) -> None:
    title = escape(next((block.text for block in blocks if block.kind == "title"), "Book"))
    page = "".join(_body(blocks)).replace(" checked>", ' checked="checked"/>').replace('"checkbox">', '"checkbox"/>')
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles>'
            "</container>",
        )
        book.writestr(
            "book.opf",
            '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">own</dc:identifier>'
            f"<dc:title>{title}</dc:title></metadata>"
            '<manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="one"/></spine></package>',
        )
        head = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head>'
        book.writestr("one.xhtml", f'<?xml version="1.0" encoding="utf-8"?>{head}<body>{page}</body></html>')


def write_md(path: Path, blocks: Sequence[Block]) -> None:
    marks = {"title": "# ", "heading": "## ", "item": "- ", "ticked": "- [x] ", "unticked": "- [ ] "}
    lines, step = [], 0
    for block in blocks:
        step = step + 1 if block.kind == "step" else 0
        if block.kind == "table":
            rows = [[_as_markdown(cell) for cell in row] for row in block.rows]
            rows.insert(1, ["---"] * len(rows[0]))
            lines.append("\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n")
        else:
            mark = f"{step}. " if step else marks.get(block.kind, "")
            lines.append(mark + _as_markdown(block.runs) + ("" if step or mark.startswith("-") else "\n"))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _as_markdown(runs: Runs) -> str:
    struck = (Run(f"~~{one.text}~~") if one.style == "struck" else one for one in runs)
    return "".join(_as_html((one,)) for one in struck)


def write_txt(path: Path, blocks: Sequence[Block]) -> None:
    path.write_text("\n\n".join(block.text for block in blocks) + "\n", encoding="utf-8")


def write_csv(path: Path, blocks: Sequence[Block]) -> None:
    """Write the table alone, with its merged cells repeated."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=";")
    above: list[str] = []
    for row in next(block for block in blocks if block.kind == "table").rows:
        cells = ["".join(one.text for one in cell) for cell in row]
        above = [above[j] if cell == ABOVE else cell for j, cell in enumerate(cells)]
        writer.writerow(above)
    path.write_text(buffer.getvalue(), encoding="utf-8")


def write_pdf(path: Path, blocks: Sequence[Block]) -> None:
    from reportlab.lib import colors
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

    styles = getSampleStyleSheet()
    named = {"title": "Title", "heading": "Heading2"}
    story: list[Any] = []
    step = 0
    for block in blocks:
        step = step + 1 if block.kind == "step" else 0
        if block.kind == "table":
            cells = [
                ["" if cell == COVERED else Paragraph(_as_pdf(cell), styles["Normal"]) for cell in row]
                for row in block.rows
            ]
            spans = [
                ("SPAN", (j, i), (j, i + block.covered(i, j) - 1))
                for i, row in enumerate(block.rows)
                for j, cell in enumerate(row)
                if cell != COVERED and block.covered(i, j) > 1
            ]
            story.append(Table(cells, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black), *spans]))
        else:
            box = {"ticked": '<font name="ZapfDingbats">4</font> ', "unticked": '<font name="ZapfDingbats">8</font> '}
            mark = f"{step}. " if step else box.get(block.kind, "• " if block.kind == "item" else "")
            story.append(Paragraph(mark + _as_pdf(block.runs), styles[named.get(block.kind, "Normal")]))
        story.append(Spacer(1, 8))
    title = next((block.text for block in blocks if block.kind == "title"), "")
    SimpleDocTemplate(str(path), title=title, invariant=1).build(story)


def _as_pdf(runs: Runs) -> str:
    tags = {
        "raised": ("<super>", "</super>"), "lowered": ("<sub>", "</sub>"), "struck": ("<strike>", "</strike>"),
        "hidden": ('<font color="white">', "</font>"),
    }  # fmt: skip
    tagged = ((*tags.get(one.style, ("", "")), escape(one.text, quote=False)) for one in runs)
    return "".join(f"{opening}{text}{closing}" for opening, closing, text in tagged)


WRITERS: dict[str, Callable[[Path, Sequence[Block]], None]] = {
    "docx": write_docx, "pptx": write_pptx, "xlsx": write_xlsx, "html": write_html, "epub": write_epub,
    "md": write_md, "txt": write_txt, "csv": write_csv, "pdf": write_pdf,
}  # fmt: skip
"""A writer for each format."""
