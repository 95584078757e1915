"""Prints the demo's manuscripts as the DOCX and PDF files that are committed beside the other content.

`python -m demo.typesetting` writes demo/content/… anew from demo/manuscripts/….docx.md and ….pdf.md. A manuscript is
Markdown of which only headings, paragraphs, lists, tables, bold and italics are used; its first heading is the title.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import docx
from markdown_it import MarkdownIt
from markdown_it.token import Token
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

HERE = Path(__file__).resolve().parent
_TABLE_STYLE = [("GRID", (0, 0), (-1, -1), 0.4, "#888888"), ("VALIGN", (0, 0), (-1, -1), "TOP")]
MANUSCRIPTS, CONTENT = HERE / "manuscripts", HERE / "content"


@dataclass(frozen=True)
class Run:
    text: str
    bold: bool = False
    italic: bool = False


@dataclass(frozen=True)
class Block:
    """`kind` is title, heading, paragraph, bullet, step or table; `level` of a heading, from 1."""

    kind: str
    runs: tuple[Run, ...] = ()
    level: int = 0
    rows: tuple[tuple[tuple[Run, ...], ...], ...] = ()

    @property
    def text(self) -> str:
        return plain(self.runs)


def plain(runs: Sequence[Run]) -> str:
    return "".join(run.text for run in runs)


def read(manuscript: str) -> list[Block]:
    """The blocks of a manuscript in order."""
    tokens = MarkdownIt("commonmark").enable("table").parse(manuscript)
    blocks, position, lists = [], 0, list[int]()
    while position < len(tokens):
        token = tokens[position]
        if token.type == "table_open":
            end = next(i for i in range(position, len(tokens)) if tokens[i].type == "table_close")
            blocks.append(Block("table", rows=tuple(_rows(tokens[position:end]))))
            position = end
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(1 if token.type.startswith("ordered") else 0)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "heading_open":
            kind = "heading" if blocks else "title"
            blocks.append(Block(kind, _runs(tokens[position + 1]), level=int(token.tag[1])))
        elif token.type == "paragraph_open":
            runs = _runs(tokens[position + 1])
            blocks.append(_paragraph(runs, lists))
        position += 1
    return blocks


def _paragraph(runs: tuple[Run, ...], lists: list[int]) -> Block:
    """Numbers are written out: Word would count on from one list to the next."""
    if not lists:
        return Block("paragraph", runs)
    if not lists[-1]:
        return Block("bullet", runs)
    lists[-1] += 1
    return Block("step", (Run(f"{lists[-1] - 1}. "), *runs))


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[tuple[Run, ...], ...]]:
    row: list[tuple[Run, ...]] = []
    for token in tokens:
        if token.type == "inline":
            row.append(_runs(token))
        elif token.type == "tr_close":
            yield tuple(row)
            row = []


def _runs(inline: Token) -> tuple[Run, ...]:
    runs, bold, italic = list[Run](), False, False
    for child in inline.children or ():
        if child.type in ("strong_open", "strong_close"):
            bold = child.nesting > 0
        elif child.type in ("em_open", "em_close"):
            italic = child.nesting > 0
        elif child.content or child.type == "softbreak":
            runs.append(Run(child.content or " ", bold, italic))
    return tuple(runs)


def write_docx(blocks: Sequence[Block], target: Path) -> None:
    """A Word file with Word's own styles: Title, Heading 1 to 3, List, List Bullet, Table Grid."""
    document = docx.Document()
    document.core_properties.title = blocks[0].text
    document.core_properties.author = ""
    for block in blocks:
        if block.kind == "table":
            table = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
            for row in block.rows:
                for cell, runs in zip(table.add_row().cells, row, strict=True):
                    _fill(cell.paragraphs[0], runs)
        else:
            _fill(document.add_paragraph(style=_word_style(block)), block.runs)
    with io.BytesIO() as written:
        document.save(written)
        _copy_without_times(written, target)


def _copy_without_times(written: io.BytesIO, target: Path) -> None:
    """The same text gives the same file, whenever it is printed."""
    with zipfile.ZipFile(written) as parts, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as timeless:
        for name in parts.namelist():
            timeless.writestr(zipfile.ZipInfo(name), parts.read(name), zipfile.ZIP_DEFLATED)


def _word_style(block: Block) -> str:
    names = {"title": "Title", "paragraph": "Normal", "bullet": "List Bullet", "step": "List"}
    return names.get(block.kind, f"Heading {block.level}")


def _fill(paragraph: docx.text.paragraph.Paragraph, runs: Sequence[Run]) -> None:
    for run in runs:
        written = paragraph.add_run(run.text)
        written.bold, written.italic = run.bold or None, run.italic or None


def write_pdf(blocks: Sequence[Block], target: Path) -> None:
    """An A4 file with an outline of its headings and a number on every page."""
    for name in ("Vera", "VeraBd", "VeraIt", "VeraBI"):  # these come with reportlab and have the minus sign
        pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    pdfmetrics.registerFontFamily("Vera", "Vera", "VeraBd", "VeraIt", "VeraBI")
    margin = 25 * mm
    page = {"leftMargin": margin, "rightMargin": margin, "topMargin": margin, "bottomMargin": margin}
    document = _Outlined(str(target), pagesize=A4, title=blocks[0].text, author="", invariant=1, **page)
    flowables = [flowable for block in blocks for flowable in _flowables(block)]
    document.build(flowables, onFirstPage=_number_page, onLaterPages=_number_page)


class _Outlined(SimpleDocTemplate):  # type: ignore[misc]  # reportlab has no types
    """Adds each heading to the file's outline as it is placed."""

    def afterFlowable(self, flowable: Flowable) -> None:
        level = getattr(flowable, "outline_level", None)
        if level is not None:
            key = f"h{id(flowable)}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(flowable.getPlainText(), key, level)


def _number_page(canvas: Canvas, document: SimpleDocTemplate) -> None:
    canvas.setFont("Vera", 8)
    canvas.drawCentredString(A4[0] / 2, 12 * mm, str(document.page))


def _flowables(block: Block) -> Iterator[Flowable]:
    if block.kind == "table":
        cells = [[Paragraph(_markup(runs), _pdf_style("cell")) for runs in row] for row in block.rows]
        yield Table(cells, hAlign="LEFT", style=_TABLE_STYLE)
        yield Spacer(0, 3 * mm)
        return
    paragraph = Paragraph(_markup(block.runs), _pdf_style(block.kind, block.level))
    if block.kind in ("title", "heading"):
        paragraph.outline_level = 0 if block.kind == "title" else block.level
    yield paragraph


def _pdf_style(kind: str, level: int = 0) -> ParagraphStyle:
    size = {"title": 20, "heading": 17 - 3 * level, "cell": 8.5}.get(kind, 9.5)
    heading = kind in ("title", "heading")
    return ParagraphStyle(
        f"{kind}{level}",
        fontName="VeraBd" if heading else "Vera",
        fontSize=size,
        leading=size * 1.45,
        spaceBefore=size * 0.8 if heading else 0,
        spaceAfter=0 if kind == "cell" else 5,
        leftIndent=12 if kind in ("bullet", "step") else 0,
        firstLineIndent=-12 if kind in ("bullet", "step") else 0,
        keepWithNext=heading,
    )


def _markup(runs: Sequence[Run]) -> str:
    marked = []
    for run in runs:
        text = escape(run.text)
        text = f"<b>{text}</b>" if run.bold else text
        marked.append(f"<i>{text}</i>" if run.italic else text)
    return "".join(marked)


def main() -> None:
    for manuscript in sorted(MANUSCRIPTS.rglob("*.md")):
        target = CONTENT / manuscript.relative_to(MANUSCRIPTS).with_suffix("")
        blocks = read(manuscript.read_text())
        (write_pdf if target.suffix == ".pdf" else write_docx)(blocks, target)
        print(target.relative_to(HERE))


if __name__ == "__main__":
    main()
