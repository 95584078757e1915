"""Markdown: true headings only, text verbatim, lines exact, whatever the nesting."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpus.ingestion.parsing import Parsed, parse
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
