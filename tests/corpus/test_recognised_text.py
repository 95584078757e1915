"""What becomes of the words that Tesseract tells of a page, without Tesseract."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ingestion.ocr.tesseract import text_from_tsv
from corpus.page_ranges import format_pages, format_ranges

HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"


def table(*paragraphs: str, sure: float = 95) -> str:
    """As Tesseract writes it: paragraphs of lines of words; "word@40" is one that it is only so sure of."""
    rows = [HEAD, "1\t1\t0\t0\t0\t0\t0\t0\t2480\t3508\t-1\t"]
    for paragraph, text in enumerate(paragraphs, start=1):
        for line, words in enumerate(text.split("\n"), start=1):
            for number, word in enumerate(words.split(), start=1):
                word, _, own = word.partition("@")
                rows.append(f"5\t1\t1\t{paragraph}\t{line}\t{number}\t10\t10\t50\t30\t{own or sure}\t{word}")
    return "\n".join(rows) + "\n"


def test_lines_make_paragraphs() -> None:
    assert text_from_tsv(table("Plants store\nenergy.", "Water\nboils.")) == "Plants store energy.\n\nWater boils."


def test_letters_are_composed() -> None:
    assert text_from_tsv(table("Die Schu\u0308ler u\u0308ben.")) == "Die Schüler üben."


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("the Kraft-\nwerke der Zelle", "the Kraftwerke der Zelle"),
        ("der Haupt-\nund Nebensatz", "der Haupt- und Nebensatz"),
        ("die Schul-\nBibliothek", "die Schul-Bibliothek"),
        ("from 1990-\n2000 on", "from 1990-2000 on"),
    ],
)
def test_broken_words_are_mended(lines: str, text: str) -> None:
    assert text_from_tsv(table(lines)) == text


def test_a_sentence_in_lines_far_apart_is_one_paragraph() -> None:
    assert text_from_tsv(table("Plants store", "energy as starch.", "and water")) == (
        "Plants store energy as starch.\n\nand water"
    )


def test_words_that_are_hardly_sure_are_left_out() -> None:
    assert text_from_tsv(table("Plants ~%@12 store energy.")) == "Plants store energy."


def test_pictures_and_specks_are_no_text() -> None:
    assert text_from_tsv(table("ae@30 wi@45 Tre@31", "|", "— _ |", "Water boils.")) == "Water boils."
    assert text_from_tsv(table("— |")) == ""


@pytest.mark.parametrize("reply", ["", HEAD, "5\t1\t1", "5\t" * 11 + "word", "garbage\n" * 9])
def test_what_is_no_table_is_no_text(reply: str) -> None:
    assert text_from_tsv(reply) == ""


def test_control_characters_do_not_come_through() -> None:
    assert text_from_tsv(table("Plants\x00 store\x1b energy.")) == "Plants store energy."


@given(st.text())
def test_anything_can_be_read(reply: str) -> None:
    text_from_tsv(table(reply.replace("@", "")) + reply)


def test_pages_are_named_in_ranges() -> None:
    assert format_ranges([3, 7, 8, 9, 11, 12]) == "3, 7–9, 11, 12"
    assert (format_pages([4]), format_pages([9, 4])) == ("Page 4", "Pages 4, 9")
