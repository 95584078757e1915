"""Tables of a PDF are Markdown tables in their place; running text in columns, lists and forms are none."""

import io
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from benchmarks import pdf_tables
from benchmarks.tables import with_reportlab as made
from benchmarks.tables.content import LONG, MARKS, TOPICS, Case
from corpus.ingestion.parsing import parse
from corpus.ingestion.readers.pdf import lines
from corpus.ingestion.sandbox.runner import parse_in_sandbox
from text.tables import body_rows

CASES = list(made.cases())
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)


def read_text(data: bytes) -> str:
    return "\n\n".join(section.text for section in parse(data).sections)


def grid(rows: Sequence[Sequence[str]], *style: tuple[object, ...]) -> bytes:
    return made.flowed([Table(rows, style=[GRID, *style])])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_make_of_table_is_read_in_its_place(case: Case) -> None:
    text = pdf_tables.read_text(case)
    found = pdf_tables.found_tables(text)
    right = sum(pdf_tables.best_match(expected, found) for expected in case.tables)
    assert right >= 0.9 * sum(len(row) for rows in case.tables for row in rows), text
    assert pdf_tables.is_in_order(case, text)


@pytest.mark.parametrize("case", list(made.without_tables()), ids=lambda case: case.name)
def test_columns_of_text_lists_frames_and_forms_are_no_tables(case: Case) -> None:
    assert pdf_tables.found_tables(pdf_tables.read_text(case)) == []


def test_a_row_is_read_with_the_names_of_its_columns() -> None:
    rows = body_rows(read_text(grid(MARKS)))
    assert str(rows[0]) == "Pupil: Aylin · Maths: 87 · Physics: 91 · Art: 74"


def test_a_border_parts_numbers_that_touch() -> None:
    tight = [("LEFTPADDING", (0, 0), (-1, -1), 0), ("RIGHTPADDING", (0, 0), (-1, -1), 0)]
    rows = [["A", "B", "C"], ["100", "200", "300"], ["101", "201", "301"]]
    text = read_text(made.flowed([Table(rows, style=[GRID, *tight], colWidths=17)]))
    assert "| 101 | 201 | 301 |" in text


def test_rows_without_lines_between_them_are_apart() -> None:
    black = (0.5, colors.black)
    style = [("BOX", (0, 0), (-1, -1), *black), ("LINEAFTER", (0, 0), (-2, -1), *black)]
    table = Table(MARKS, style=[*style, ("LINEBELOW", (0, 0), (-1, 0), *black)])
    assert pdf_tables.found_tables(read_text(made.flowed([table]))) == [MARKS]


def test_measured_values_without_lines_are_a_table() -> None:
    values = [["Time", "Temperature"], *([str(10 * number), str(21 + number)] for number in range(5))]
    assert pdf_tables.found_tables(read_text(made.flowed([Table(values)]))) == [values]


@pytest.mark.parametrize("style", [[GRID], []])
def test_a_word_behind_a_sign_without_a_meaning_stays_in_its_cell(style: list[tuple[object, ...]]) -> None:
    duties, buffer = [["Name", "Task"], ["Ada", "~Sweep"], ["Bob", "~Cook"], ["Cy", "Read"]], io.BytesIO()
    SimpleDocTemplate(buffer, pageCompression=0).build([Table(duties, style=style, colWidths=100)])
    text = read_text(buffer.getvalue().replace(b"(~", b"(\x01"))
    assert [row.cells for row in body_rows(text)] == [("Ada", "Sweep"), ("Bob", "Cook"), ("Cy", "Read")]


def test_a_table_over_two_pages_keeps_its_pages_and_its_header() -> None:
    sections = parse(made.flowed([Table(LONG, style=[GRID])])).sections
    by_page = {page: [row.cells[1] for s in sections if s.page == page for row in body_rows(s.text)] for page in (1, 2)}
    assert by_page[1] + by_page[2] == [f"Isle{number}" for number in range(1, 61)]
    assert by_page[2]
    second = next(section for section in sections if section.page == 2)
    assert second.text.startswith("| Number | Island | Inhabitants | Harbour |")


def test_a_cell_over_several_columns_names_those_below_or_is_the_caption() -> None:
    rows = [["Marks of class 7b", "", ""], ["Pupil", "Oral", "Written"], ["Aylin", "1", "2"], ["Bruno", "3", "4"]]
    text = read_text(grid(rows, ("SPAN", (0, 0), (-1, 0))))
    assert text.startswith("Marks of class 7b\n\n| Pupil | Oral | Written |\n")


def test_signs_of_markdown_in_a_cell_are_no_borders() -> None:
    text = read_text(grid([["Sign", "Meaning"], ["|x|", "absolute value"], ["a|b", "a divides b"]]))
    assert "| \\|x\\| | absolute value |" in text
    assert "| a\\|b | a divides b |" in text


def test_a_landscape_page_is_read_as_it_is_displayed() -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, 842))
    canvas.setPageRotation(90)
    canvas.translate(595, 0)
    canvas.rotate(90)
    table = Table(MARKS, style=[GRID])
    table.wrapOn(canvas, 600, 400)
    table.drawOn(canvas, 80, 300)
    canvas.save()
    assert pdf_tables.found_tables(read_text(file.getvalue())) == [MARKS]


def test_lines_of_a_diagram_and_underlined_words_are_no_table() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    for step in range(11):
        canvas.line(100, 400 + 20 * step, 400, 400 + 20 * step)
        canvas.line(100 + 30 * step, 400, 100 + 30 * step, 600)
        canvas.drawString(95 + 30 * step, 385, str(step))
    canvas.drawString(180, 505, "growth")
    canvas.drawString(100, 700, "An underlined word stands here.")
    canvas.line(100, 698, 180, 698)
    canvas.save()
    text = read_text(file.getvalue())
    assert "|" not in text
    assert text.count("growth") == 1


def test_tables_are_looked_for_only_where_something_hints_at_one() -> None:
    data = made.prose_pages(2)
    with patch.object(lines, "aligned_tables", side_effect=AssertionError):
        assert parse(data).pages == 2
    with patch.object(lines, "grid_tables", return_value=[]) as looked_for:
        parse(grid(TOPICS))
    assert looked_for.called


def test_tables_are_read_within_the_limits_of_the_process_that_reads_files(tmp_path: Path) -> None:
    pair = (Paragraph("The marks of another class.", made.BODY), Table(LONG[:40]))
    path = tmp_path / "file.pdf"
    path.write_bytes(made.flowed(40 * pair))
    with path.open("rb") as file:
        parsed = parse_in_sandbox(file, filename="file.pdf")
    assert sum("| N7 | Isle7 |" in section.text for section in parsed.sections) == 40
