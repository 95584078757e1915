"""Rows of tables with their headers."""

import pytest

from text.tables import Row, row_at

TEXT = "Costs:\n\n> | What | Pounds |\n> |:--|--:|\n> | Coach \\| van | 640 |\n> | Lunch |\n\n| x | y |"


def row(line: str) -> Row | None:
    start = TEXT.index(line)
    return row_at(TEXT, start, start + len(line))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("| What | Pounds |", Row(("What", "Pounds"), ("", ""), "Costs:", is_header=True)),
        (
            "| Coach \\| van | 640 |",
            Row(("Coach \\| van", "640"), ("What", "Pounds"), "Costs:", is_header=False),
        ),
        ("| Lunch |", Row(("Lunch",), ("What",), "Costs:", is_header=False)),
        ("| x | y |", Row(("x", "y"), ("", ""), "| Lunch |", is_header=False)),
        ("Costs:", None),
    ],
)
def test_a_row_knows_its_headers_and_the_line_before_its_table(line: str, expected: Row | None) -> None:
    assert row(line) == expected
