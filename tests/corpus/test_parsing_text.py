"""Plain text in the encodings that teachers' files come in."""

import pytest

from corpus.ingestion.parsing import parse
from corpus.ingestion.readers.decoding import decode
from tests import documents

GERMAN = "Die Schülerinnen und Schüler messen die Länge größerer Flüsse. Übung macht den Meister, sagt Frau Weiß.\n"
FRENCH = "L'élève a été invité à présenter son exposé sur la forêt. C'est très intéressant, ça plaît à tous.\n"
RUSSIAN = "Ученики измеряют длину реки и записывают результаты в тетрадь. Учитель проверяет их работу.\n"


def test_paragraphs_and_lines_are_kept() -> None:
    parsed = parse(documents.PLAIN.encode(), filename="trip.txt")
    assert parsed.media_type == "text/plain"
    [section] = parsed.sections
    assert section.text == documents.PLAIN.strip()
    assert section.lines == (1, 6)
    assert (section.heading_path, section.page, parsed.title, parsed.pages) == ((), None, None, None)


def test_blank_lines_around_the_text_count() -> None:
    assert parse(b"\n \n\none\n\ntwo\n\n").sections[0].lines == (4, 6)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "iso8859-15"]
)
@pytest.mark.parametrize("text", [GERMAN, FRENCH])
def test_western_encodings(text: str, encoding: str) -> None:
    assert parse(text.encode(encoding)).sections[0].text == text.strip()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1251", "koi8-r"])
def test_cyrillic_encodings(encoding: str) -> None:
    assert parse((RUSSIAN * 3).encode(encoding)).sections[0].text == (RUSSIAN * 3).strip()


def test_a_few_broken_bytes_are_noted_and_do_not_change_the_encoding() -> None:
    parsed = parse(GERMAN.encode() * 3 + b"\xff")
    assert parsed.sections[0].text.startswith(GERMAN.strip())
    assert parsed.notes == ("Some characters in this file could not be read and are shown as �.",)


def test_nul_and_lone_surrogates_never_come_through() -> None:
    data = ("A long enough line of text. " * 5).encode() + b"\x00\x07\x0bend"
    assert parse(data).sections[0].text.endswith("text. end")
    half = "Words and ".encode("utf-16-le") + b"\x3d\xd8" + " more words.".encode("utf-16-le")
    text = parse(b"\xff\xfe" + half).sections[0].text
    text.encode()
    assert "\x00" not in text


@pytest.mark.parametrize("text", ["Käsespätzle;3,80\n", "Müller, Köhler, Grün", "Élève;Âge\nChloé;12", "Señor Núñez"])
def test_short_lists_in_western_letters_are_read_as_such(text: str) -> None:
    assert decode(text.encode("cp1252"))[0] == text


def test_lines_of_two_encodings_are_each_read_in_their_own() -> None:
    data = b"\n".join([GERMAN.encode(), FRENCH.encode("cp1252"), b"plain", "Größe „x“ für".encode("cp1252")])
    text, notes = decode(data)
    assert text == "\n".join([GERMAN, FRENCH, "plain", "Größe „x“ für"])
    assert notes == ("The file has two encodings: lines 3, 6 are not in that of the rest (UTF-8).",)


def test_lines_in_columns_are_a_table_and_keep_their_numbers() -> None:
    plan = "Bus stop\n\n        Mon    Tue\n7:30    Oak    Birch\n13:05   Ash    Elm\nAsk at the office.\n"
    [section] = parse(plan.encode()).sections
    assert section.text.split("\n\n") == [
        "Bus stop",
        "|  | Mon | Tue |\n| --- | --- | --- |\n| 7:30 | Oak | Birch |\n| 13:05 | Ash | Elm |",
        "Ask at the office.",
    ]
    assert (section.lines, section.line_numbers) == ((1, 6), (1, 2, 3, 3, 4, 5, 6, 6))
    words = "Unit 3\n\nowl\tdie Eule\tThe owl hunts.\nfox\tder Fuchs\tThe fox runs.\nbear\tder Bär\tIt sleeps.\n"
    assert parse(words.encode()).sections[0].text.splitlines()[2:5:2] == [
        "|  |  |  |",
        "| owl | die Eule | The owl hunts. |",
    ]


@pytest.mark.parametrize(
    "text", ["def f(x):\n    return x  # yes\n    # no", "Roses are red,\n    violets  blue,\n  so on"]
)
def test_indented_lines_are_no_table(text: str) -> None:
    assert parse(text.encode()).sections[0].text == text


@pytest.mark.parametrize("wide", ["a" + " " * 3_000 + "b", "a  " * 1_000 + "b"])
def test_one_wide_line_among_short_ones_gives_them_no_columns(wide: str) -> None:
    parsed = parse(("a  b\n" * 1_000 + wide).encode(), filename="notes.txt")
    assert sum(len(section.text) for section in parsed.sections) < 30_000
