"""Markdown: true headings only, text verbatim, lines exact, whatever the nesting."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ingestion.parsing import Parsed, UnreadableDocument, parse
from tests import documents


def md(text: str) -> Parsed:
    return parse(text.encode(), filename="notes.md")


def outline(text: str) -> list[tuple[tuple[str, ...], str, tuple[int, int] | None]]:
    return [(section.heading_path, section.text, section.lines) for section in md(text).sections]


def assert_verbatim(text: str, parsed: Parsed) -> None:
    lines = text.split("\n")
    for section in parsed.sections:
        assert section.lines
        first, last = section.lines
        assert section.text == "\n".join(lines[first - 1 : last])


def test_modules_chapters_and_sections_with_their_lines() -> None:
    parsed = md(documents.MARKDOWN)
    assert parsed.media_type == "text/markdown"
    assert parsed.title == "Cells and Energy"
    assert [(section.heading_path, section.lines) for section in parsed.sections] == [
        (("Module 1: Cells",), (6, 6)),
        (("Module 1: Cells", "Chapter 1: Parts of a Cell", "Organelles"), (12, 17)),
        (("Module 1: Cells", "Chapter 2: Energy"), (21, 21)),
    ]
    assert_verbatim(documents.MARKDOWN, parsed)


def test_a_number_sign_in_code_or_quotes_is_no_heading() -> None:
    text = "# Shell\n\n```sh\n# not a heading\nls\n```\n\n    # neither\n\n> # nor this\n\n#hashtag"
    assert outline(text) == [(("Shell",), text.partition("\n\n")[2], (3, 12))]


def test_setext_headings_and_marked_up_titles() -> None:
    text = "The *Cell* `x` [link](http://a.b) <b>bold</b> $x^2$\n===\n\nOne.\n\nInside\n---\nTwo.\n"
    title = "The Cell x link bold $x^2$"
    assert outline(text) == [((title,), "One.", (4, 4)), ((title, "Inside"), "Two.", (8, 8))]


def test_broken_nesting() -> None:
    text = "# A\n### B\nb\n## C\nc\n##### D\nd\n# E\ne"
    assert [path for path, _, _ in outline(text)] == [("A", "B"), ("A", "C"), ("A", "C", "D"), ("E",)]


def test_no_headings_at_all() -> None:
    assert outline("\n\nJust text.\n\nMore text.\n\n") == [((), "Just text.\n\nMore text.", (3, 5))]


def test_headings_without_text_keep_their_words() -> None:
    text = "# Plan\n\n## Week 1: cells\n\n## Week 2: plants\n\n# Homework\nPage 12.\n## Bring goggles"
    assert outline(text) == [
        (("Plan",), "## Week 1: cells\n\n## Week 2: plants", (3, 5)),
        (("Homework",), "Page 12.\n## Bring goggles", (8, 9)),
    ]


def test_front_matter_counts_as_lines_and_other_rules_do_not_hide_text() -> None:
    assert outline("---\ntags: [a, b]\n---\nText.") == [((), "Text.", (4, 4))]
    assert outline("---\nA sentence, no settings.\n\n---\nText.")[0][1].startswith("---\nA sentence")
    assert md("---\ntitle: 'Our school'\nlang: en\n---\n# Other\nText.").title == "Our school"


def test_a_single_first_heading_is_the_title() -> None:
    assert md("# Cells\n## A\na\n## B\nb").title == "Cells"
    assert md("# Cells\na\n# Plants\nb").title is None
    assert md("Preface.\n# Cells\na").title is None


def test_line_ends_of_windows_and_old_macs() -> None:
    assert outline("# A\r\n\r\none\r\ntwo\r\n") == [(("A",), "one\ntwo", (3, 4))]
    assert outline("# A\r\rone\rtwo") == [(("A",), "one\ntwo", (3, 4))]


HEADINGS = ["# A", "## B", "### C", "===", "---", "#"]
OTHERS = ["text", "", "", "```", "    # code", "> # q", "- item", "| a | b |", "| - | - |", "\t"]
LINES = st.sampled_from(HEADINGS + OTHERS)


@given(st.lists(LINES, max_size=40))
def test_every_section_is_its_lines_and_no_words_are_lost(lines: list[str]) -> None:
    numbered = [line.replace("text", f"text {number}.") for number, line in enumerate(lines)]
    text = "\n".join(["Start.", *numbered])
    parsed = md(text)
    assert_verbatim(text, parsed)
    ranges = [section.lines for section in parsed.sections if section.lines]
    assert all(before[1] < after[0] for before, after in pairwise(ranges))
    kept = "\n".join("\n".join([*section.heading_path, section.text]) for section in parsed.sections)
    assert all(line in kept for line in numbered if "text" in line or "item" in line)


def test_comments_and_crossed_out_text_are_left_out_and_noted() -> None:
    parsed = md(
        "# Task ~~1~~ 2\n\nHow fast? <!-- Answer:\n8 m/s -->Walk, ~~run~~ now.\n\n[//]: # (Answer 9)\n\n"
        "```html\n<!-- kept -->\n```\n\nAnd `<!-- kept -->`.\n\n<!--\n\nAnswer 10\n\n-->\n\nEnd. <del>Old</del>"
        "</div></span>"
    )
    [section] = parsed.sections
    assert section.heading_path == ("Task 2",)
    shown = [line for line in section.text.split("\n") if line.strip()]
    assert shown == ["How fast? ", "Walk, now.", "```html", "<!-- kept -->", "```", "And `<!-- kept -->`.", "End. "]
    assert section.lines == (3, 20)
    assert parsed.notes == ("Comments were left out.", "Crossed-out text was left out.")


def test_html_is_read_as_html_and_lines_stay_those_of_the_file() -> None:
    [section] = md(
        "# Hedge\n\n<table>\n<tr><th>Plant</th><th>In</th></tr>\n\n<tr><td>Dog rose<td>June</tr>\n</table>\n\n"
        "It is 80&nbsp;m<sup>2</sup> if a<b or <b>not</b>.<br>See <https://a.b/?x=1&y=2> and `<b>`, $a<b>c$,"
        " the <title> and <script> of a page.\n\n<div hidden>\n\nAnswer\n\n</div>\n\nLast line."
    ).sections
    assert section.text.split("\n\n")[:2] == [
        "| Plant | In |\n| --- | --- |\n| Dog rose | June |",
        "It is 80\xa0m^2 if a<b or not. See <https://a.b/?x=1&y=2> and `<b>`, $a<b>c$,"
        " the <title> and <script> of a page.",
    ]
    assert "Answer" not in section.text
    assert section.lines == (3, 17)
    assert section.line_numbers[-1] == 17


def test_lists_and_tables_say_what_a_page_shows() -> None:
    [section] = md(
        "1. One\n1. Two\n   1. in\n   1. in two\n1. Three\n\n- [x] ruler\n- [ ] dictionary\n\n"
        "| | Term 1 | |\n| --- | --- | --- |\n| Team | Test | Project |\n| Fox | 12 | 15 |\n\n"
        "| Day | Period | Subject |\n|---|---|---|\n| Monday | 1 | Maths |\n| | 2 | Art<br>room |\n| | 3 | Bio |\n"
    ).sections
    assert section.text.split("\n\n") == [
        "1. One\n2. Two\n   1. in\n   2. in two\n3. Three",
        "- ☑ ruler\n- ☐ dictionary",
        "| Team | Term 1 Test | Term 1 Project |\n| --- | --- | --- |\n| Fox | 12 | 15 |",
        "| Day | Period | Subject |\n| --- | --- | --- |\n| Monday | 1 | Maths |\n| Monday | 2 | Art room |\n"
        "| Monday | 3 | Bio |",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Use List<String>, Map<K, V>, Vec<u8> and Node<A>: `List<T>`.",
        "It reads <stdin> and writes <stdout>. Press <Enter>.",
        "#include <map>",
        "Where a<b && c>d or a<b and c>d: SELECT * FROM t WHERE a<5 AND b>3",
        "The <nav>, <select> and <template> elements, <del> and <s>. After.",
        "An open comment <!-- is text.",
        "<T>",
        "<script> is a tag, and <?php opens a program.",
    ],
)
def test_names_in_angle_brackets_are_text(line: str) -> None:
    parsed = md(f"# About {line}\n\n{line}\n\nEnd of <b>it</b>.\n")
    [section] = parsed.sections
    assert section.heading_path == (f"About {line}".replace("`", ""),)
    assert section.text.split("\n\n") == [line, *(["End of <b>it</b>."] if "<script>" in line else ["End of it."])]
    assert section.lines == (3, 5)
    assert parsed.notes == ()


def test_an_element_without_an_end_does_not_swallow_the_rest() -> None:
    [section] = md("# Tags\n\n<nav>\n\nOne\n\n<!-- two\n\nThree\n").sections
    assert section.text == "<nav>\n\nOne\n\n<!-- two\n\nThree"


@pytest.mark.parametrize("block", ["<?php ?><x( hidden>", "<!DOCTYPE html><x[ hidden>"])
def test_an_element_with_an_odd_name_is_no_fault(block: str) -> None:
    [section] = md(f"# Tags\n\n{block}\n\nAfter it.\n").sections
    assert section.text.endswith("After it.")


def test_many_marks_without_a_pair_are_read_in_time() -> None:
    text = "~~a <b> <math>x <!-- a <a b='c <del> " * 30_000
    start = time.process_time()
    assert text[-30:].strip() in md(f"# Marks\n\n{text}").sections[0].text
    assert time.process_time() - start < 10


def test_lines_after_what_was_taken_out_of_a_paragraph_keep_their_numbers() -> None:
    source = (
        "# Lines\n\nOne ~~two\nthree~~ four.\nFive <a\nhref='x'>six</a>.\nSeven <math\n><mi>x</mi>\n</math>.\nLast."
    )
    [section] = md(source).sections
    shown = dict(enumerate(section.text.split("\n"), start=3))
    assert (section.lines, section.line_numbers) == ((3, 10), ())
    assert (shown[4].strip(), shown[6], shown[10]) == ("four.", "six.", "Last.")


@pytest.mark.parametrize("block", ["<table>\n\n", "<div hidden>\n\n", "<div>\n\n"])
def test_very_many_blocks_that_do_not_end_are_refused(block: str) -> None:
    with pytest.raises(UnreadableDocument, match="deep in each other"):
        md(block * 20_000)


def test_blocks_of_html_with_blank_lines_between_are_one() -> None:
    text = "<table>\n<tr><th>Day</th><th>Room</th></tr>\n\n<tr><td>Monday</td><td>A1</td></tr>\n\n</table>\n\nAfter it."
    assert md(text).sections[0].text == "| Day | Room |\n| --- | --- |\n| Monday | A1 |\n\nAfter it."
    assert md("<div>\n\n**Bold** text.\n\n</div>").sections[0].text.strip() == "**Bold** text."
