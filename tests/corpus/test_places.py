"""Where a passage stands is said in the words of its format."""

import pytest

from corpus.ingestion.readers.structure import CSV, MARKDOWN, PDF, PPTX, XLSX
from corpus.reading.locations import format_location


@pytest.mark.parametrize(
    ("headings", "page", "lines", "media_type", "said"),
    [
        (["Acids", "Titration"], 3, None, PDF, "Acids › Titration · page 3"),
        ([], 3, None, PDF, "page 3"),
        (["Titration"], 3, None, PPTX, "Titration · slide 3"),
        (["Week 1", "Slide 3"], 3, None, PPTX, "Week 1 › Slide 3"),
        (["Marks"], None, None, XLSX, "Sheet “Marks”"),
        (["Marks", "Rows 2–21"], None, None, XLSX, "Sheet “Marks” · rows 2–21"),
        (["Rows 2", "Row 7"], None, None, XLSX, "Sheet “Rows 2” · row 7"),
        (["Rows 2–21"], None, None, CSV, "Rows 2–21"),
        ([], None, None, CSV, ""),
        (["Timing"], None, (3, 5), MARKDOWN, "Timing · lines 3–5"),
        (["Timing"], None, (3, 3), MARKDOWN, "Timing · line 3"),
        (["Acids"], 3, None, "", "Acids · page 3"),
    ],
)
def test_where(
    headings: list[str], page: int | None, lines: tuple[int, int] | None, media_type: str, said: str
) -> None:
    assert format_location(headings, page=page, lines=lines, media_type=media_type) == said


@pytest.mark.parametrize(
    ("headings", "label", "said"),
    [
        (
            ["Module 1: Motion", "Chapter 2", "Speed", "Units"],
            "Module 1, Chapter 2, Section 4",
            "Motion › Speed › Units · Module 1, Chapter 2, Section 4 · motion.md, lines 3–5",
        ),
        (["MODULE 1 – Motion"], "Module 1", "Motion · Module 1 · motion.md, lines 3–5"),
        (["Module 10: Motion"], "Module 1", "Module 10: Motion · Module 1 · motion.md, lines 3–5"),
        (["Section 1.2: Speed"], "Section 1", "Section 1.2: Speed · Section 1 · motion.md, lines 3–5"),
        (["Chapter 2"], "Chapter 2", "Chapter 2 · motion.md, lines 3–5"),
        (["Motion"], "", "Motion · motion.md, lines 3–5"),
        ([], "", "motion.md, lines 3–5"),
    ],
)
def test_where_in_a_textbook(headings: list[str], label: str, said: str) -> None:
    found = format_location(headings, page=None, lines=(3, 5), media_type=MARKDOWN, label=label, file_path="motion.md")
    assert found == said


def test_a_page_is_named_by_its_printed_number() -> None:
    assert format_location(["Tundra"], page=5, page_label="3", lines=None, media_type=PDF) == "Tundra · page 3"
