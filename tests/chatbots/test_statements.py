"""Which words of an answer each of its citations vouches for."""

import pytest

from chatbots.citations.claims import extract_claims


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acids are sour [1]. Bases are soapy [2].", [("Acids are sour", (1,)), ("Bases are soapy", (2,))]),
        ("Ice melts at 0 °C [1], boils at 100 °C [2].", [("Ice melts at 0 °C", (1,)), (", boils at 100 °C", (2,))]),
        ("Acids are sour. [1][3] They burn.", [("Acids are sour.", (1, 3))]),
        ("Acids are sour.\n\n[1]", [("Acids are sour.", (1,))]),
        ("[2] Acids are sour.", [("Acids are sour.", (2,))]),
        ("Nobody cites this. This is cited [1].", [("This is cited", (1,))]),
        ("- one thing [1]\n- another [2]", [("one thing", (1,)), ("another", (2,))]),
        ("| Acid | pH |\n| --- | --- |\n| Vinegar | 3 [1] |", [("| Vinegar | 3", (1,))]),
        ("`a[1]` is code, this is not [2].", [("`a[1]` is code, this is not", (2,))]),
        ("“Quoted. Twice.” [1]", [("“Quoted. Twice.”", (1,))]),
        ("Is an acid sour? [1] *Is it soapy?* [2] Or salty [3]?", []),
        ("Is an acid sour? It is sour [1].", [("It is sour", (1,))]),
        ("“Is an acid sour?” [1]", [("“Is an acid sour?”", (1,))]),
        ("Nothing is cited.", []),
        ("[1]", []),
        ("", []),
    ],
)  # fmt: skip
def test_statements(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(one.text, one.numbers) for one in extract_claims(text)] == expected


def test_markers_are_counted_through_the_answer() -> None:
    assert [one.first for one in extract_claims("One [1][2]. Two [1]. Three [3].")] == [0, 2, 3]


def test_a_statement_says_where_it_stands() -> None:
    text = "Acids are sour [1]. Bases are soapy [2]."
    assert [text[one.start : one.end].strip() for one in extract_claims(text)] == [
        "Acids are sour",
        "Bases are soapy",
    ]
