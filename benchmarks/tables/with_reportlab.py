"""Files with tables made with reportlab: by its layout engine, and letter by letter on a canvas."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    PageBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

from benchmarks.tables.content import (
    AFTER,
    BEFORE,
    BETWEEN,
    CENSUS,
    HALVES,
    LONG,
    MARKS,
    METALS,
    ORGANELLES,
    PRICES,
    PROSE,
    TIMETABLE,
    TOPICS,
    WORDS,
    Case,
    Rows,
)

BODY = getSampleStyleSheet()["BodyText"]
ALL, BLACK = ((0, 0), (-1, -1)), colors.black
GRID = ("GRID", *ALL, 0.5, BLACK)
BOLD = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")
BELOW = ("LINEBELOW", *ALL, 0.5, BLACK)
RIGHT = ("ALIGN", (1, 0), (-1, -1), "RIGHT")
TOP = ("VALIGN", *ALL, "TOP")
BOOK = [("LINEABOVE", (0, 0), (-1, 0), 1, BLACK), ("LINEBELOW", (0, 0), (-1, 0), 0.5, BLACK)]
BOOK += [("LINEBELOW", (0, -1), (-1, -1), 1, BLACK)]
AROUND = ("opening", "middling", "closing")


def cases() -> Iterator[Case]:
    """The files with tables."""
    yield single("grid", MARKS, [GRID])
    yield single("grid, dark header", METALS, [GRID, ("BACKGROUND", (0, 0), (-1, 0), colors.lightblue), BOLD])
    yield single("horizontal lines only", PRICES, [BELOW, ("LINEABOVE", (0, 0), (-1, 0), 1, BLACK)])
    yield single("three lines", METALS, BOOK)
    yield single("no lines", TOPICS, [BOLD])
    stripes = [("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.whitesmoke, colors.lightgrey])]
    yield single("striped rows", MARKS, stripes)
    yield Case("placed letter by letter", on_canvas(placed_by_column(WORDS)), (WORDS,), ("lighthouse", "Möwe"))
    yield Case("typewriter", on_canvas(typewriter(PRICES)), (PRICES,), ("Article", "Globe"))
    yield single("numbers to the right, no lines", CENSUS, [RIGHT])
    yield single("wrapped cells, grid", ORGANELLES, [GRID, TOP], wrap=[90, 180, 120])
    yield single("wrapped cells, horizontal lines", ORGANELLES, [BELOW, TOP], wrap=[90, 180, 120])
    yield single("wrapped cells, no lines", ORGANELLES, [TOP], wrap=[90, 180, 120])
    pair = [Paragraph(BEFORE, BODY), table(MARKS, [GRID]), Paragraph(BETWEEN, BODY), table(TOPICS, BOOK)]
    yield Case("two tables on a page", flowed([*pair, Paragraph(AFTER, BODY)]), (MARKS, TOPICS), AROUND)
    for name, again in (("header repeated", 1), ("header once", 0)):
        long = Table(LONG, repeatRows=again, style=[GRID])
        story = [Paragraph(BEFORE, BODY), long, Paragraph(AFTER, BODY)]
        yield Case(f"over two pages, {name}", flowed(story), (LONG,), ("opening", "Isle1", "Isle60", "closing"))
    yield Case("in a page of two columns", in_two_columns(), (WORDS,), ("opening", "lighthouse", "Möwe", "closing"))
    yield Case("turned header", flowed([Paragraph(BEFORE, BODY), turned_header()]), (MARKS,), ("opening", "Pupil"))
    heads = [["Class", "Girls", "", "Boys", ""], ["", "spring", "autumn", "spring", "autumn"], *HALVES[1:]]
    joined = [("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("SPAN", (0, 0), (0, 1)), GRID]
    yield Case("header of two rows", flowed([Paragraph(BEFORE, BODY), table(heads, joined)]), (HALVES,), ("opening",))
    framed = [("INNERGRID", *ALL, 0.5, BLACK), ("BOX", *ALL, 1.5, BLACK)]
    yield single("timetable with gaps", TIMETABLE, framed)
    upright = [("LINEAFTER", (0, 0), (-2, -1), 0.5, BLACK), ("LINEBELOW", (0, 0), (-1, 0), 0.5, BLACK)]
    yield single("vertical lines", PRICES, upright)


def without_tables() -> Iterator[Case]:
    """Files in which no table must be found."""
    halves = [Paragraph(PROSE * 3, BODY), FrameBreak(), Paragraph(PROSE * 3, BODY)]
    yield Case("prose in two columns", two_columns(halves))
    yield Case("prose in two columns, line by line", on_canvas(prose_line_by_line))
    numbered = [Paragraph(f"<bullet>{n}.</bullet>{part}.", BODY) for n, part in enumerate(PROSE.split(". ")[:-1], 1)]
    yield Case("numbered list", flowed(numbered))
    frame = Table([[Paragraph(PROSE, BODY)]], style=[("BOX", *ALL, 1, BLACK)])
    yield Case("text in a frame", flowed([frame]))
    form = Table([[f"{name}:", "____________"] for name in ("Name", "Class", "Date", "School")])
    yield Case("labels of a form", flowed([form]))


def prose_pages(count: int) -> bytes:
    """A file of running text only."""
    page = [Paragraph(PROSE, BODY) for _ in range(5)]
    return flowed([part for _ in range(count) for part in (*page, PageBreak())])


def table(rows: Rows, style: Sequence[tuple[Any, ...]], wrap: Sequence[float] | None = None) -> Table:
    cells: list[list[Any]] = [[Paragraph(cell, BODY) for cell in row] for row in rows] if wrap else rows
    return Table(cells, colWidths=wrap, style=list(style), hAlign="LEFT")


def single(name: str, rows: Rows, style: Sequence[tuple[Any, ...]], wrap: Sequence[float] | None = None) -> Case:
    """A page with a table between two paragraphs."""
    story = [Paragraph(BEFORE, BODY), Spacer(1, 8), table(rows, style, wrap), Spacer(1, 8), Paragraph(AFTER, BODY)]
    return Case(name, flowed(story), (rows,), ("opening", rows[0][0], rows[-1][0], "closing"))


def flowed(story: Sequence[Flowable], wide: bool = False) -> bytes:
    file = io.BytesIO()
    SimpleDocTemplate(file, pagesize=landscape(A4) if wide else A4).build(list(story))
    return file.getvalue()


def two_columns(story: Sequence[Flowable]) -> bytes:
    file = io.BytesIO()
    document = BaseDocTemplate(file, pagesize=A4)
    frames = [Frame(x, 60, 230, 720) for x in (50, 310)]
    document.addPageTemplates(PageTemplate(frames=frames))
    document.build(list(story))
    return file.getvalue()


def in_two_columns() -> bytes:
    left = [Paragraph(BEFORE, BODY), table(WORDS, []), Paragraph(PROSE * 2, BODY)]
    return two_columns([*left, FrameBreak(), Paragraph(PROSE * 3, BODY), Paragraph(AFTER, BODY)])


def on_canvas(draw: Callable[[Canvas], None]) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    draw(canvas)
    canvas.save()
    return file.getvalue()


def placed_by_column(rows: Rows) -> Callable[[Canvas], None]:
    """All cells of a column are drawn before those of the next one."""

    def draw(canvas: Canvas) -> None:
        for column in range(len(rows[0])):
            for number, row in enumerate(rows):
                canvas.setFont("Helvetica-Bold" if number == 0 else "Helvetica", 11)
                canvas.drawString(70 + 150 * column, 760 - 18 * number, row[column])

    return draw


def typewriter(rows: Rows) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Courier", 10)
        for number, row in enumerate(rows):
            line = row[0].ljust(18) + "".join(cell.rjust(14) for cell in row[1:])
            canvas.drawString(70, 760 - 12 * number, line)

    return draw


def prose_line_by_line(canvas: Canvas) -> None:
    """Two columns of running text, whose lines are drawn across the page."""
    canvas.setFont("Helvetica", 9)
    words = (PROSE * 3).split()
    lines = [" ".join(words[start : start + 7]) for start in range(0, len(words), 7)]
    half = len(lines) // 2
    for number in range(half):
        canvas.drawString(60, 780 - 12 * number, lines[number])
        canvas.drawString(320, 780 - 12 * number, lines[half + number])


class _Turned(Flowable):  # type: ignore[misc]  # reportlab has no types
    """A word that reads upwards."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.width, self.height = text, 12, 60

    def draw(self) -> None:
        self.canv.rotate(90)
        self.canv.drawString(2, -10, self.text)


def turned_header() -> Table:
    header = [MARKS[0][0], *(_Turned(name) for name in MARKS[0][1:])]
    return Table([header, *MARKS[1:]], style=[GRID], hAlign="LEFT")
