"""An answer as HTML: its formulas are set, and its citations lead to its sources."""

import re
from typing import Any

import pytest

from chatbots.citations.claims import extract_uncited_claims
from chatbots.citations.rendering import Quote, make_quote, render_answer
from chatbots.models import Message, MessageSource
from chatbots.quoting.answerer import ExtractiveAnswerer
from chatbots.templatetags.answers import formulas, rendered
from corpus.reading.rendering import MAX_LENGTH


def source(number: int = 1, excerpt: str = "Text.", **fields: object) -> MessageSource:
    return MessageSource(
        **({"number": number, "kind": "personal", "document_title": "Notes", "excerpt": excerpt} | fields)
    )


def test_formulas_of_an_answer_are_set_beside_its_citations() -> None:
    html = render_answer("Energy is $E=mc^2$ [1].", [source()])
    assert "<msup><mi>c</mi><mn>2</mn></msup></mrow></math> <span" in html
    assert html.count('class="cite ') == 1


def test_dollars_do_not_swallow_a_citation_between_them() -> None:
    html = render_answer("It cost A$5 [1], then US$ more, or $6 [1]$.", [source()])
    assert html.count('class="cite ') == 2
    assert "<math" not in html


SHEET = "| Name | Mark |\n| --- | --- |\n" + "".join(f"| Pupil {n} | {n} |\n" for n in range(5))


def test_of_a_table_of_which_no_row_is_named_the_first_rows_are_shown() -> None:
    shown = make_quote(source(excerpt=SHEET, text=SHEET), "See there [1].")
    assert [row[0][1] for row in shown.rows] == ["Pupil 0", "Pupil 1", "Pupil 2"]
    assert (shown.cited, shown.more, shown.short) == (False, 2, "Name: Pupil 0 · Mark: 0")


def test_a_passage_in_the_middle_of_a_table_has_the_headers_that_stand_before_it() -> None:
    excerpt = SHEET[SHEET.index("| Pupil 3") :]
    shown = make_quote(source(excerpt=excerpt, text=SHEET), "Pupil 4 has a 4 [1].")
    assert (shown.rows, shown.cited) == ([[("Name", "Pupil 4"), ("Mark", "4")]], True)


def test_text_with_a_table_is_shown_without_markup() -> None:
    text = f"These are the marks of the class.\n\n{SHEET}"
    shown = make_quote(source(excerpt=text, text=text), "“These are the marks of the class.” [1]")
    assert shown.marked == "These are the marks of the class."
    assert "Name: Pupil 0 · Mark: 0" in shown.after
    assert "|" not in shown.after


def test_lists_are_shown_as_such_and_formulas_whole() -> None:
    text = "- **Sour** things\n- are `acids`\n\n" + "word " * 40 + r"and $a^2 + \frac{b + c}{d + e} = f^2$ follows."
    shown = make_quote(source(excerpt=text, text=text), "“Sour things” [1]")
    assert (shown.before, shown.marked) == ("• ", "Sour things")
    assert shown.after.startswith(" • are acids word")
    assert shown.after.endswith(r"$a^2 + \frac{b + c}{d + e} = f^2$…")
    assert formulas("a < b and $x^2$") == (
        'a &lt; b and <math display="inline"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>'
    )


def test_a_citation_that_does_not_hold_says_so_and_names_a_better_source() -> None:
    html = render_answer(
        "So it is [1]. And so [1].",
        [source(), better := source(number=3)],
        support={"0": ["supported", None], "1": ["not found", 3]},
    )
    assert html.count("✗<") == 1
    assert html.index("So it is") < html.index("And so") < html.index("✗<")
    assert f'Not found in this passage. <a href="#note-{better.pk}">Source 3</a> says it.' in html
    assert "Does not say this" in html


def test_what_stands_in_no_source_is_marked_and_nothing_else() -> None:
    html = render_answer("Dr **Zorro** wrote in 1931 <b> [1].", [source()], unfounded=[[5, 10], [22, 26]])
    assert ">Zorro</mark>" in html
    assert ">1931</mark>" in html
    assert html.count("<mark") == 2
    assert "&lt;b&gt;" in html


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("- Hamsters drink **fresh water** daily", ["Hamsters drink ", "fresh water", " daily"]),
        (
            "**Hamsters drink water daily. They eat hay all day.**",
            ["Hamsters drink water daily.", "They eat hay all day."],
        ),
    ],
)
def test_a_sentence_with_emphasis_in_no_source_is_marked_whole(text: str, marked: list[str]) -> None:
    spans = [(one.start, one.end) for one in extract_uncited_claims(text)]
    html = render_answer(text, [], unfounded=spans)
    assert re.findall("<mark[^>]*>(.*?)</mark>", html) == marked and "**" not in html


def test_a_table_without_citations_stays_a_table() -> None:
    text = "| Animal | Drinks fresh water every morning |\n| --- | --- |\n| Hamster of the class | yes, it does |"
    html = render_answer(text, [], unfounded=[(one.start, one.end) for one in extract_uncited_claims(text)])
    assert html.count("<td") == 2 and "<mark" not in html


def test_signs_of_ours_in_an_answer_mean_nothing() -> None:
    html = render_answer("A \ue0021:0\ue003 and \ue004x\ue005 [1].", [source()])
    assert "<mark" not in html
    assert html.count('class="cite ') == 1


def test_a_mark_that_is_cut_off_with_a_very_long_answer_is_none() -> None:
    text = "x" * (MAX_LENGTH - 4) + " 2024"
    html = render_answer(text, [], unfounded=[[len(text) - 4, len(text)]])
    assert "mark" not in html


def test_words_are_marked_only_where_the_passage_answers() -> None:
    text = "The bridge was built by Ann Fell in 1726, and it is green."
    read: dict[str, Any] = {"excerpt": text, "text": text, "answer_words": "Ann Fell"}
    sure, unsure = (source(certainty=certainty, relevance=0.6, **read) for certainty in (0.9, 0.5))
    quoting, telling = "“The bridge was built by Ann Fell in 1726” [1]", "See there [1]."
    assert make_quote(sure, quoting).said == make_quote(sure, telling).marked == "Ann Fell"
    quoted = make_quote(unsure, quoting)
    assert (quoted.marked, quoted.said) == ("The bridge was built by Ann Fell in 1726", "")
    assert make_quote(unsure, telling) == Quote(before=text)


def test_words_of_an_answer_are_marked_only_where_its_passage_answers() -> None:
    text = "It was built by Ann Fell in 1726."
    message: Any = Message(answer=f"“{text}” [1]", model=ExtractiveAnswerer.name)
    for certainty, marks in ((0.9, 1), (0.5, 0)):
        read = source(
            excerpt=text, text=text, answer_words="Ann Fell", certainty=certainty, is_cited=True, relevance=0.6
        )
        message._prefetched_objects_cache = {"sources": [read]}
        assert rendered(message).count('class="said"') == marks
