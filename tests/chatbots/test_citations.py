import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbots.citations.markers import CitationFilter, check_citations, strip_markers, strip_partial_marker


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
        ("Ranges [1-2] and [1–2].", "Ranges [1][2] and [1][2].", (1, 2), ()),
        ("Too wide [1-99], backwards [2-1].", "Too wide [1-99], backwards [2-1].", (), ()),
        ("Mixed [1, 2-4].", "Mixed [1][2].", (1, 2), (3, 4)),
        ("Named [Source 1], [sources 1 and 2], [Quelle 2].", "Named [1], [1][2], [2].", (1, 2), ()),
        ("Named [Source 1; source 9] and [Source].", "Named [1] and [Source].", (1,), (9,)),
        ("A link [9](http://x) and [1, 2](http://x)", "A link [9](http://x) and [1, 2](http://x)", (), ()),
        ("Open `span [1] ends\nwith the line `b[9]`", "Open `span [1] ends\nwith the line `b[9]`", (1,), ()),
        ("Open ``span [9]\n\nends with the paragraph", "Open ``span\n\nends with the paragraph", (), (9,)),
        (f"Not one [1{' ' * 90}]", f"Not one [1{' ' * 90}]", (), ()),
    ],
)
def test_markers(text: str, expected: str, cited: tuple[int, ...], unknown: tuple[int, ...]) -> None:
    checked = check_citations(text, 2)
    assert (checked.text, checked.cited, checked.unknown) == (expected, cited, unknown)


def test_the_number_of_sources_is_the_limit() -> None:
    assert check_citations("[5]", 5).cited == (5,)
    assert check_citations("[5]", 4).unknown == (5,)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Goggles are worn [1]. They stay on [2", "Goggles are worn [1]. They stay on"),
        ("They stay on [1, ", "They stay on"),
        ("They stay on 【Source 1", "They stay on"),
        ("They stay on [", "They stay on"),
        ("They stay on [1].", "They stay on [1]."),
        (r"Its own note \[3", r"Its own note \[3"),
        ("In a list `a[1` or ```\nb[2", "In a list `a[1` or ```\nb[2"),
        ("As he [Smith", "As he [Smith"),
    ],
)
def test_half_a_marker_at_the_end_goes(text: str, left: str) -> None:
    assert strip_partial_marker(text) == left


def test_markers_inside_a_quotation_are_the_sources_own() -> None:
    checked = check_citations("“As Smith 【3】 showed [ 2 ]” [1]", 5, verbatim=True)
    assert (checked.text, checked.cited) == ("“As Smith 【3】 showed [ 2 ]” [1]", (1,))


def cut(text: str, size: int, *, verbatim: bool = False) -> list[str]:
    """What a reader is shown, piece by piece, of a text with two sources that comes in pieces of this size."""
    shown = CitationFilter(2, verbatim=verbatim)
    return [
        *(shown.feed(text[at : at + size]) for at in range(0, len(text), size)),
        shown.finish(),
    ]


SIGNS = st.sampled_from(
    [
        *"[]【】129-–,()`~“”\\\n a",
        *(
            "[1]",
            " [9]",
            "[1, 2]",
            "[1-2]",
            "[Source ",
            "quelle",
            "and ",
            "``",
            "```",
            "~~~",
            "\n\n",
            "[[",
            "🌍",
        ),
    ]
)


@given(
    text=st.lists(SIGNS, max_size=25).map("".join) | st.text(max_size=40),
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=20),
    verbatim=st.booleans(),
)
def test_a_text_reads_the_same_however_it_is_cut(text: str, sizes: list[int], verbatim: bool) -> None:
    shown, output, rest = CitationFilter(2, verbatim=verbatim), "", text
    for size in [*sizes, len(text) + 1]:
        output, rest = output + shown.feed(rest[:size]), rest[size:]
        assert check_citations(text, 2, verbatim=verbatim).text.startswith(output), "what is shown stays"
    assert output + shown.finish() == check_citations(text, 2, verbatim=verbatim).text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [a] and [", "See [a] and"),
        ("See [a", "See [a"),
        ("See [S", "See"),
        ("See [Sa", "See [Sa"),
        ("See [1", "See"),
        ("See [1]", "See [1]"),
        ("See [9]", "See"),
        ("See [9] ", "See"),
        ("See [9] it", "See it"),
        ("See [1, 2", "See"),
        ("See 【1】 it", "See [1] it"),
        ("See [0, 1]", "See [0, 1]"),
        ("See \\[1", "See \\[1"),
        ("Code `a[1", "Code `a"),
        ("Code `a[1]`", "Code `a[1]`"),
        ("Code ```\na[1", "Code ```\na[1"),
        ("[" * 40 + "1234", "[" * 40 + "1234"),
    ],
)
def test_only_what_may_be_a_marker_is_held_back(text: str, shown: str) -> None:
    assert "".join(cut(text, 1)[:-1]) == shown


def test_a_model_that_quotes_keeps_what_its_sources_have_in_brackets() -> None:
    text = "“As 【3】 showed [ 2 ]” 【1】 and “[9]"
    assert "".join(cut(text, 3, verbatim=True)) == "“As 【3】 showed [ 2 ]” [1] and “"


def test_an_answer_without_its_markers() -> None:
    assert strip_markers("Half [1] a mole[2][3], `a[1]` \\[4].") == "Half a mole, `a[1]` \\[4]."
