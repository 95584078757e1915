import pytest

from chatbots.citations import check


@pytest.mark.parametrize(
    ("text", "expected", "cited", "unknown"),
    [
        ("Goggles are worn [1].", "Goggles are worn [1].", (1,), ()),
        ("Both say so [1, 2].", "Both say so [1][2].", (1, 2), ()),
        ("Both say so [2][1].", "Both say so [2][1].", (2, 1), ()),
        ("Wide brackets 【1】.", "Wide brackets [1].", (1,), ()),
        ("Made up [7].", "Made up.", (), (7,)),
        ("Half right [1, 9].", "Half right [1].", (1,), (9,)),
        ("An interval [0, 1] or [0].", "An interval [0, 1] or [0].", (), ()),
        ("~~~\na[9]\n~~~ and ``b[9]`` [1]", "~~~\na[9]\n~~~ and ``b[9]`` [1]", (1,), ()),
        ("A list `a[1]` and\n```\nb[2]\n```", "A list `a[1]` and\n```\nb[2]\n```", (), ()),
        ("A [link](x) and [1](http://x)", "A [link](x) and [1](http://x)", (1,), ()),
        (r"A source's own note \[3] stays [1].", r"A source's own note \[3] stays [1].", (1,), ()),
        ("No citation.", "No citation.", (), ()),
        ("Open code ```\nb[2]", "Open code ```\nb[2]", (), ()),
    ],
)
def test_markers(text: str, expected: str, cited: tuple[int, ...], unknown: tuple[int, ...]) -> None:
    checked = check(text, 2)
    assert (checked.text, checked.cited, checked.unknown) == (expected, cited, unknown)


def test_the_number_of_sources_is_the_limit() -> None:
    assert check("[5]", 5).cited == (5,)
    assert check("[5]", 4).unknown == (5,)


def test_markers_inside_a_quotation_are_the_sources_own() -> None:
    checked = check("“As Smith 【3】 showed [ 2 ]” [1]", 5, verbatim=True)
    assert (checked.text, checked.cited) == ("“As Smith 【3】 showed [ 2 ]” [1]", (1,))
