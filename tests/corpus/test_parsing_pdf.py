"""PDF: pages are exact, headings found, broken words mended, running lines dropped, unreadable files named."""

import io

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from corpus.ingestion.parsing import UnreadableDocument, parse
from tests import documents

FULL = "This line is about as long as the column is wide, so it is a full one"


def texts(data: bytes) -> list[tuple[int | None, str]]:
    return [(section.page, section.text) for section in parse(data).sections]


def test_text_carries_its_page() -> None:
    parsed = parse(documents.pdf([["Iron melts at 1538 degrees."], ["Copper melts at 1085 degrees."]]))
    assert parsed.media_type == "application/pdf"
    assert parsed.pages == 2
    assert [(section.page, section.text) for section in parsed.sections] == [
        (1, "Iron melts at 1538 degrees."),
        (2, "Copper melts at 1085 degrees."),
    ]
    assert all(section.lines is None and section.heading_path == () for section in parsed.sections)


def test_large_letters_are_headings() -> None:
    parsed = parse(
        documents.pdf(
            [
                [("Metals", 24), ("Melting", 16), "Iron melts late.", "Tin melts early.", ("Rusting", 16)],
                ["Only iron rusts.", ("Gases", 24), "Air is a mixture of gases."],
            ]
        )
    )
    assert [(section.heading_path, section.page) for section in parsed.sections] == [
        (("Metals", "Melting"), 1),
        (("Metals", "Rusting"), 2),
        (("Gases",), 2),
    ]


def test_a_heading_of_two_lines_is_one() -> None:
    heading: list[documents.Line] = [("The life and the work of", 20), ("Marie Curie", 20)]
    parsed = parse(documents.pdf([[*heading, "", "She found radium.", "She found polonium."]]))
    assert parsed.sections[0].heading_path == ("The life and the work of Marie Curie",)


def test_a_large_first_letter_is_no_heading() -> None:
    parsed = parse(documents.pdf([[("O", 30), "nce upon a time there was a school.", "It had a garden."]]))
    assert parsed.sections[0].heading_path == ()


def test_the_outline_gives_headings_where_there_is_one() -> None:
    pages = [["1 Metals", "Iron melts late."], ["More about iron."], ["Gases", "Air is a mixture."]]
    outline = [("Part One", 0, 1), ("Metals", 1, 1), ("Gases", 1, 3)]
    parsed = parse(documents.pdf(pages, outline=outline))
    assert [(section.heading_path, section.page, section.text) for section in parsed.sections] == [
        (("Part One", "Metals"), 1, "Iron melts late."),
        (("Part One", "Metals"), 2, "More about iron."),
        (("Part One", "Gases"), 3, "Air is a mixture."),
    ]


def test_an_outline_entry_is_found_at_its_own_line() -> None:
    pages = [["s", "Gases of the air", "Noble gases are rare.", "3.2 Gases", "Air is a mixture.", "Tests", "End."]]
    outline = [("Intro", 0, 1), ("Gases", 0, 1), ("Chapter 4 Tests", 0, 1)]
    sections = parse(documents.pdf(pages, outline=outline)).sections
    assert [(section.heading_path, section.text) for section in sections] == [
        (("Intro",), "s Gases of the air Noble gases are rare."),
        (("Gases",), "Air is a mixture."),
        (("Chapter 4 Tests",), "End."),
    ]


def test_an_outline_entry_whose_words_are_not_on_the_page_stands_at_its_top() -> None:
    parsed = parse(documents.pdf([["Iron melts late."], ["Air is a mixture."]], outline=[("Über Gase", 0, 2)]))
    assert [section.heading_path for section in parsed.sections] == [(), ("Über Gase",)]


def test_words_broken_at_a_line_end_are_mended() -> None:
    [(_, text)] = texts(
        documents.pdf(
            [
                [
                    "Light drives the first reac-",
                    "tion of photosynthesis. A well-known fact about a well-",
                    "known plant, taught in Haupt-",
                    "und Nebensatz, and in Baden-",
                    "Baden.",
                ]
            ]
        )
    )
    assert "first reaction of" in text
    assert "a well-known plant" in text
    assert "Haupt- und Nebensatz" in text
    assert "Baden-Baden." in text


def test_soft_hyphens_mend_words_and_are_not_kept() -> None:
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))  # Helvetica has no letter of its own for it
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.setFont("Vera", 11)
    canvas.drawString(72, 700, "Light drives the first reac\xad")
    canvas.drawString(72, 686, "tion of photo\xadsynthesis in the leaf.")
    canvas.save()
    [(_, text)] = texts(buffer.getvalue())
    assert text == "Light drives the first reaction of photosynthesis in the leaf."


def test_paragraphs_and_bullets_are_kept_apart() -> None:
    lines = [
        "The list that follows is short.",
        "",
        "• pipette",
        "• burette",
        "",
        "That is all that you need to bring.",
    ]
    [(_, text)] = texts(documents.pdf([lines]))
    assert text.split("\n\n") == [
        "The list that follows is short.",
        "- pipette",
        "- burette",
        "That is all that you need to bring.",
    ]


def test_running_headers_footers_and_page_numbers_are_dropped() -> None:
    pages = [[f"Fact {word} stands on this page."] for word in ("one", "two", "three", "four", "five")]
    data = documents.pdf(pages, header="Riverside School, Handbook", footer="Page # of 5")
    assert texts(data)[3] == (4, "Fact four stands on this page.")
    assert sum(text.count("Riverside School, Handbook") for _, text in texts(data)) == 1
    assert not any("Page" in text for _, text in texts(data))


def test_a_chapters_header_is_dropped_although_most_pages_lack_it() -> None:
    pages = [[f"Fact {'x' * number} stands on this page."] for number in range(1, 13)]
    headers = ["Tin", *["# Iron"] * 3, "Tin", *["# Copper"] * 5, "Tin", "Zinc"]
    found = [text.splitlines()[0] for _, text in texts(documents.pdf(pages, header=headers))]
    assert [number for number, text in enumerate(found, start=1) if not text.startswith("Fact")] == [
        1,
        5,
        11,
        12,
    ]


def test_headers_that_change_on_every_page_are_known_by_the_page_number() -> None:
    pages = [[f"Fact {'x' * number} stands on this page.", "It has two lines."] for number in range(1, 6)]
    headers = ["1 Iron", "Copper 2", "3 Tin", "Zinc 4", "5 Lead"]
    assert all(text.startswith("Fact") for _, text in texts(documents.pdf(pages, header=headers)))


def test_two_pages_alike_keep_their_first_lines() -> None:
    assert texts(documents.pdf([["Name and date"], ["Name and date"]], header="Worksheet"))[1][1].startswith("Work")


def test_a_sentence_that_runs_over_stays_whole_on_its_first_page() -> None:
    pages = [[f"{FULL}.", f"{FULL} and it goes on to"], ["the next page. Here begins another sentence."]]
    assert texts(documents.pdf(pages)) == [
        (1, f"{FULL}. {FULL} and it goes on to the next page."),
        (2, "Here begins another sentence."),
    ]


def test_pages_without_text_keep_their_place() -> None:
    parsed = parse(documents.pdf([["Text."], [], ["More text."], []]))
    assert parsed.pages == 4
    assert parsed.blank_pages == (2, 4)
    assert [(section.page, section.text) for section in parsed.sections] == [
        (1, "Text."),
        (2, ""),
        (3, "More text."),
        (4, ""),
    ]


def test_a_page_without_text_stands_under_the_headings_that_are_open_there() -> None:
    outline = [("Cells", 0, 1), ("Walls", 1, 2), ("Water", 0, 3), ("Ice", 1, 4)]
    parsed = parse(documents.pdf([["Text."], [], ["Water", "Water boils."], []], outline=outline))
    assert [(section.page, section.heading_path) for section in parsed.sections] == [
        (1, ("Cells",)),
        (2, ("Cells", "Walls")),
        (3, ("Water",)),
        (4, ("Water", "Ice")),
    ]


def test_a_heading_before_a_page_without_text_keeps_its_words() -> None:
    parsed = parse(documents.pdf([["Some text of the page.", ("Plates", 20)], [], ["More text."]]))
    assert "Plates" in " ".join(section.text for section in parsed.sections)
    assert parsed.sections[-2].heading_path == ("Plates",)


def test_the_title_comes_from_the_file_unless_it_is_a_file_name() -> None:
    assert parse(documents.pdf([["Text."]], title="Lab safety")).title == "Lab safety"
    assert parse(documents.pdf([["Text."]], title="Microsoft Word - lab.docx")).title is None
    assert parse(documents.pdf([["Text."]], title="untitled")).title is None
    assert parse(documents.pdf([[("Lab safety", 20), "Wear your goggles in the lab."]])).title == "Lab safety"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (documents.pdf([["Secret."]], password="open sesame"), "protected by a password"),
        (b"%PDF-1.7\nnot really a PDF", "is damaged"),
        (documents.pdf([["Some text."]])[:200], "is damaged"),
    ],
)
def test_what_cannot_be_read_is_named(data: bytes, words: str) -> None:
    with pytest.raises(UnreadableDocument, match=words):
        parse(data)


def test_a_long_pdf_keeps_every_page_and_chapter() -> None:
    parsed = parse(documents.long_pdf())
    assert [section.page for section in parsed.sections] == list(range(1, 51))
    assert parsed.sections[7].heading_path == ("Chapter 2",)
    assert all("handbook" not in section.text and "Page" not in section.text for section in parsed.sections)
    assert "Experiment 50.39 heats" in parsed.sections[-1].text
