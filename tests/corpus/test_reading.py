"""The text of a document as people read it: in order, under its headings, the passage marked."""

import re

import pytest

from corpus.reading import blocks
from tests import documents
from tests.factories import Cast, personal_document

BOOK = "# Book\n\nPreface.\n\n" + "\n\n".join(
    f"## Chapter {n}\n\nFirst of {n}.\n\n### Notes\n\nSecond of {n}." for n in range(1, 41)
)


def test_blocks_come_in_order_with_their_place(people: Cast) -> None:
    document = personal_document(people.alice, "# Book\n\nPreface.\n\n## One\n\nText of one.", "book.md")
    first, second = blocks.read_part(document).blocks
    assert (first.heading, first.place, first.html) == ("Book", "line 3", "<p>Preface.</p>\n")
    assert (second.heading, second.place) == ("One", "Book · line 7")
    assert not first.found


def test_the_passage_is_marked_in_its_block(people: Cast) -> None:
    document = personal_document(people.alice, "# Book\n\nPreface.\n\n## One\n\nText of one.", "book.md")
    first, second = blocks.read_part(document, passage=1).blocks
    assert not first.found
    assert second.html == '<p><mark id="passage">Text of one.</mark></p>\n'


def test_slides_are_called_so(people: Cast) -> None:
    slides = documents.presentation(("Acids", ["They are sour.", "They burn."]), ("Bases", ["They are soapy."]))
    document = personal_document(people.alice, slides, "slides.pptx")
    first, second = blocks.read_part(document, passage=0).blocks
    assert [(block.heading, block.place) for block in (first, second)] == [
        ("Acids", "slide 1"),
        ("Bases", "slide 2"),
    ]
    assert "<li>" in first.html
    assert '<mark id="passage">They are sour.</mark>' in first.html


def test_rows_of_a_sheet_are_shown_as_a_table_with_their_numbers(people: Cast) -> None:
    rows: list[list[object]] = [
        ["Name", "Mark"],
        *([f"Pupil {number}", number % 6 + 1] for number in range(2, 42)),
    ]
    document = personal_document(people.alice, documents.workbook({"Term 2": rows}), "marks.xlsx")
    first, second = blocks.read_part(document, passage=1).blocks
    assert (first.heading, first.place) == ("Rows 2–21", "Sheet “Term 2”")
    assert (second.heading, second.place) == ("Rows 22–41", "Sheet “Term 2”")
    assert first.html.count("<tr>") == second.html.count("<tr>") == 21
    assert 'aria-label="Table 1: Name, Mark"' in first.html
    assert 'aria-label="Table 2: Name, Mark"' in second.html
    assert "<mark>Pupil 22</mark>" in second.html
    assert [heading.title for heading in blocks.contents(document)] == ["Term 2", "Rows 2–21", "Rows 22–41"]


@pytest.mark.parametrize("passage", [99, 10**8])
def test_a_passage_that_is_not_there_marks_nothing(people: Cast, passage: int) -> None:
    document = personal_document(people.alice)
    assert not any(block.found for block in blocks.read_part(document, passage=passage).blocks)


def test_a_long_text_comes_in_parts(people: Cast) -> None:
    document = personal_document(people.alice, BOOK, "book.md")
    first, second = blocks.read_part(document, part=1), blocks.read_part(document, part=2)
    assert (first.parts, first.before, first.after) == (2, None, 2)
    assert (second.before, second.after) == (1, None)
    assert len(first.blocks) == blocks.BLOCKS_PER_PART
    assert [block.number for block in first.blocks + second.blocks] == list(range(81))
    assert blocks.read_part(document, part=99).part == 2
    assert blocks.read_part(document, part=0).part == 1


def test_the_part_with_the_passage_is_opened(people: Cast) -> None:
    document = personal_document(people.alice, BOOK, "book.md")
    found = blocks.read_part(document, passage=document.chunk_count - 1)
    assert found.part == 2
    assert found.blocks[-1].found


def test_contents_name_every_section_once_where_it_begins(people: Cast) -> None:
    document = personal_document(people.alice, BOOK, "book.md")
    contents = blocks.contents(document)
    assert [(h.title, h.level, h.block, h.part) for h in contents[:4]] == [
        ("Book", 1, 0, 1),
        ("Chapter 1", 2, 1, 1),
        ("Notes", 3, 2, 1),
        ("Chapter 2", 2, 3, 1),
    ]
    assert len(contents) == 81
    assert contents[-1].part == 2


def test_a_document_without_text_has_no_blocks(people: Cast) -> None:
    document = personal_document(people.alice, indexed=False)
    assert blocks.read_part(document) == blocks.ReadingPage([], 1, 1)
    assert blocks.contents(document) == []


def test_a_passage_inside_a_long_section_is_marked_alone(people: Cast) -> None:
    sentences = [f"Sentence number {n} says something about energy and matter." for n in range(60)]
    document = personal_document(people.alice, "# Long\n\n" + " ".join(sentences), "long.md")
    middle = document.chunks.get(position=1)
    (block,) = blocks.read_part(document, passage=1).blocks
    assert block.html.count("<p>") == 1
    assert re.findall("<mark[^>]*>(.*?)</mark>", block.html) == [middle.text.strip()]


def test_a_table_in_several_chunks_stays_one_table(people: Cast) -> None:
    rows = "\n".join(f"| item {n} | a value that takes some room, number {n} |" for n in range(30))
    document = personal_document(people.alice, f"# Table\n\n| a | b |\n|---|---|\n{rows}\n", "table.md")
    assert document.chunk_count > 1
    (block,) = blocks.read_part(document, passage=1).blocks
    assert block.html.count("<table>") == 1
    assert block.html.count("<tr>") == 31
    assert block.found
