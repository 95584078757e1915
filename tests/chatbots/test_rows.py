"""The rows of a table that an answer cites are those whose cells it names before its citation."""

import pytest

from chatbots.citations.table_citations import find_cited_rows, find_quotations, select_cells

TABLE = """| Name | Mark | Note |
| --- | --- | --- |
| Ann Berg | 2 | good |
| Ben Adler | 3 | tall |
| Cy Cole | 2 | good |
| Ann | 4.5 | new |
"""


def cited(answer: str, text: str = TABLE, number: int = 1) -> list[str]:
    found = find_cited_rows(text, 0, len(text), answer=answer, number=number)
    return [one.row.fields[0][1] for one in found]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Ben Adler: Mark “3” [1]", ["Ben Adler"]),
        ("**Ben Adler** has a 3 [2][1].", ["Ben Adler"]),
        ("ben adler is one of them [1].", ["Ben Adler"]),
        ("Ann Berg has 2, Cy Cole too [1].", ["Ann Berg", "Cy Cole"]),
        ("Ben Adler has a 3 [1]. Cy Cole has a 2 [2].", ["Ben Adler"]),
        ("- Ben Adler: 3 [1]\n- Cy Cole: 2 [1]", ["Ben Adler", "Cy Cole"]),
        ("| Ben Adler | 3 [1] |", ["Ben Adler"]),
        ("Two pupils have 2, one 3 [1].", []),
        ("Benjamin Adlers [1].", []),
        ("Ben Adler has a 3.", []),
        ("See [1].\nBen Adler has a 3.", []),
    ],
)
def test_rows_that_the_answer_names(answer: str, expected: list[str]) -> None:
    assert cited(answer) == expected


def test_a_number_is_not_a_part_of_another() -> None:
    assert cited("The mark of Cy Cole is 2.5 [1]") == ["Cy Cole"]
    text = "| Id | Sum |\n| --- | --- |\n| 1050 | 7 |\n| 105 | 8 |\n"
    assert cited("No. 1050 [1]", text) == ["1050"]


def test_a_quotation_of_the_text_around_a_table_cites_no_row() -> None:
    text = f"Ben Adler keeps the list, with 3 others.\n\n{TABLE}"
    assert cited("“Ben Adler keeps the list, with 3 others.” [1]", text) == []
    assert cited("Ben Adler has a 3 [1]", text) == ["Ben Adler"]
    assert cited("Ben Adler: “3” [1] “Ben Adler keeps the list, with 3 others.” [1]", text) == ["Ben Adler"]
    assert cited("Ben Adler keeps it [1]", text) == []  # the text may be what is meant


def test_of_many_cells_those_named_are_shown() -> None:
    head = "|".join(f" h{number} " for number in range(20))
    text = f"|{head}|\n|{'---|' * 20}\n|{head.replace('h', 'value')}|\n"
    (one,) = find_cited_rows(text, 0, len(text), answer="It is value15 [1].", number=1)
    assert [header for header, _ in select_cells(one, 4)] == ["h0", "h1", "h2", "h15"]


def test_marks_of_quotation_that_never_end_are_done_with_at_once() -> None:
    assert find_quotations("“Acids are sour” " + "“" * 1_000_000) == ["Acids are sour"]
