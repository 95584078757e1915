"""Tables as people read them: each row with the headers of its columns."""

import pytest

from corpus.reading.tables import readable, rows, without_tables

TABLE = "| Name | Mark |\n| --- | :-: |\n| Ann | 2 |\n| Ben \\| Bo | |\n"


def test_rows_have_their_headers_and_places() -> None:
    text = f"Marks:\n\n{TABLE}\nThe end."
    ann, ben = rows(text)
    assert ann.cells == (("Name", "Ann"), ("Mark", "2"))
    assert ben.cells == (("Name", "Ben | Bo"),)
    assert text[ann.start : ann.end] == "| Ann | 2 |"


def test_headers_may_stand_before_the_part_that_is_looked_at() -> None:
    start = TABLE.index("| Ben")
    assert [str(row) for row in rows(TABLE, start, len(TABLE))] == ["Name: Ben | Bo"]
    assert readable(TABLE, start, len(TABLE)) == "• Name: Ben | Bo\n"


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
    assert readable(text) == expected


def test_what_stands_around_tables() -> None:
    assert without_tables(f"Marks:\n{TABLE}End.").split() == ["Marks:", "End."]
