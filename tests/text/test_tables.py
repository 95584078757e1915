"""Tables: rows with their headers, and as people read them."""

import pytest

from text.tables import TableRow, body_rows, drop_tables, make_readable, table_rows

TEXT = "Costs:\n\n> | What | Pounds |\n> |:--|--:|\n> | Coach \\| van | 640 |\n> | Lunch |\n\n| x | y |"


@pytest.mark.parametrize(
    ("number", "line", "cells", "headers", "intro", "is_header"),
    [
        (0, "| What | Pounds |", ("What", "Pounds"), ("", ""), "Costs:", True),
        (1, "| Coach \\| van | 640 |", ("Coach \\| van", "640"), ("What", "Pounds"), "Costs:", False),
        (2, "| Lunch |", ("Lunch",), ("What",), "Costs:", False),
        (3, "| x | y |", ("x", "y"), ("", ""), "| Lunch |", False),
    ],
)
def test_a_row_knows_its_headers_and_the_line_before_its_table(
    number: int, line: str, cells: tuple[str, ...], headers: tuple[str, ...], intro: str, is_header: bool
) -> None:
    start = TEXT.index(line)
    expected = TableRow(start, start + len(line), cells, headers, intro, is_header)
    assert table_rows(TEXT)[number] == expected
    assert len(table_rows(TEXT)) == 4


def test_a_rule_after_a_blank_line_makes_no_header() -> None:
    assert not any(row.is_header for row in table_rows("| a | b |\n\n| --- | --- |\n| 1 | 2 |"))


TABLE = "| Name | Mark |\n| --- | :-: |\n| Ann | 2 |\n| Ben \\| Bo | |\n"


def test_rows_have_their_headers_and_places() -> None:
    text = f"Marks:\n\n{TABLE}\nThe end."
    ann, ben = body_rows(text)
    assert ann.fields == (("Name", "Ann"), ("Mark", "2"))
    assert ben.fields == (("Name", "Ben | Bo"),)
    assert text[ann.start : ann.end] == "| Ann | 2 |"


def test_headers_may_stand_before_the_part_that_is_looked_at() -> None:
    start = TABLE.index("| Ben")
    assert [str(row) for row in body_rows(TABLE, start, len(TABLE))] == ["Name: Ben | Bo"]
    assert make_readable(TABLE, start, len(TABLE)) == "• Name: Ben | Bo\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Marks:\n\n{TABLE}\nEnd.", "Marks:\n\n• Name: Ann · Mark: 2\n• Name: Ben | Bo\n\nEnd."),
        ("| Name | Mark |\n| --- | --- |\n", "• Name · Mark\n"),
        ("| a | b |\n| c | d |", "• a · b\n• c · d"),
        ("> | a | b |\n> | --- | --- |\n> | 1 | 2 |", "• a: 1 · b: 2"),
        ("No table: a | b.", "No table: a | b."),
        ("# Head\n\n- **one**\n  - `two`\n\n2 - 1 = 1", "Head\n\n• one\n  • two\n\n2 - 1 = 1"),
        ("The word *science* means (*having knowledge*).", "The word science means (having knowledge)."),
        (
            "2 * 3 * 4, $x^*y^*$, SELECT *, COUNT(*), f(*a, *b)",
            "2 * 3 * 4, $x^*y^*$, SELECT *, COUNT(*), f(*a, *b)",
        ),
        ("", ""),
    ],
)
def test_readable(text: str, expected: str) -> None:
    assert make_readable(text) == expected


def test_what_stands_around_tables() -> None:
    assert drop_tables(f"Marks:\n{TABLE}End.").split() == ["Marks:", "End."]
