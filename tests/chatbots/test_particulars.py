"""Numbers and names of an answer, and which of them stand in no source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbots.citations.entities import Entity, EntityIndex, extract_entities, find_missing_entities


def find_entities_not_in(found: list[Entity], sources: list[str]) -> list[Entity]:
    return find_missing_entities(found, map(EntityIndex.of, sources))


SOURCE = "In 1867 Marie Curie was born in Warsaw. The prize was 10,000 crowns; 2.5 g were lost. See LS-05."


@pytest.mark.parametrize(
    ("text", "language", "missing"),
    [
        ("She was born in 1867.", "en", []),
        ("She was born in 1868.", "en", ["1868"]),
        ("The prize was 10 000 crowns, or 10.000, or 10000.", "en", []),
        ("The prize was 10,001 crowns.", "en", ["10,001"]),
        ("Nur 2,5 g gingen verloren.", "de", []),
        ("Nur 2,6 g gingen verloren.", "de", ["2,6"]),
        ("It is 2.50 g.", "en", []),
        ("As the Polish physicist Curie said in Paris.", "en", ["Polish", "Paris"]),
        ("Later Curie's work.", "en", []),
        ("Die Physikerin war aus Warschau.", "de", []),
        ("Sie traf Albert Einstein.", "de", ["Einstein"]),
        ("The section is LS-05, not LS-06.", "en", ["LS-06", "06"]),
        ("1. First\n2. Then 1867", "en", []),
        ("## Key Facts of 1868\nThe prize", "en", ["1868"]),
        ("Text.\n\n> ### Facts And Figures\nHer prize.", "de", []),
        ("`x = 99` and $y = 98$ and [97]", "en", []),
        ("Read _Marie Curie_ and __Niels Bohr__.", "en", ["Niels", "Bohr"]),
        ("", "en", []),
    ],
)
def test_what_no_source_has(text: str, language: str, missing: list[str]) -> None:
    found = find_entities_not_in(extract_entities(text, language), [SOURCE])
    assert [text[one.start : one.end] for one in found] == missing


@pytest.mark.parametrize(("text", "source"), [("3 acids", "There are three acids."), ("12 Schüler", "zwölf Schüler")])
def test_small_numbers_may_be_written_in_words(text: str, source: str) -> None:
    assert find_entities_not_in(extract_entities(text), [source]) == []


def test_a_name_set_off_in_its_source_is_that_name() -> None:
    assert find_entities_not_in(extract_entities("It was Darwin."), ["_Charles Darwin_ wrote it."]) == []


@pytest.mark.parametrize("text", ["\n" * 300_000, "\n " * 200_000, ">\n" * 200_000])
def test_an_answer_of_empty_lines_is_done_with_at_once(text: str) -> None:
    assert extract_entities(text) == []  # would take hours if each line were looked at from every line before it


@pytest.mark.parametrize(
    ("text", "source", "missing"),
    [
        ("um 15:00 Uhr", "Um 15 Uhr.", []),
        ("at 3:00", "It starts at 3 pm.", []),
        ("at 3:00", "It starts at 3:45.", ["3:00"]),
        ("at 10:15", "From 10:00 to 12:15.", ["10:15"]),
        ("at 10:15", "From 08:15 on, in 10 rooms for 15.", ["10:15"]),
        ("at 8:15 and 15:30", "08:15 to 3.30 pm", []),
        ("at 3 pm", "15:00", []),
        ("5 mol/l in 2026", "It has 0.5 mol/l on 12.06.2026.", ["5"]),
        ("at 3:15 pm", "15:15", []),
        ("um 7:30 Uhr", "Um halb acht.", []),
        ("um 6:45 Uhr", "Um viertel vor sieben.", []),
        ("à 7:30", "À sept heures et demie.", []),
        ("a las 7:15", "A las siete y cuarto.", []),
        ("a las 7:30", "A las siete y media.", []),
        ("à 6:45", "À sept heures moins le quart.", []),
        ("um 12:30 Uhr, um 19:30 Uhr", "Um halb eins und um halb acht.", []),
        ("a las 6:30", "A las siete y media.", ["6:30"]),
        ("at 12:45", "At quarter to one.", []),
        ("at 3:15", "Sales of quarter 3.", ["3:15"]),
        ("at 7:30", "Half of the seven pupils.", ["7:30"]),
    ],
)
def test_full_hours(text: str, source: str, missing: list[str]) -> None:
    assert [text[one.start : one.end] for one in find_entities_not_in(extract_entities(text), [source])] == missing


def test_two_sources_together() -> None:
    found = extract_entities("In 1867 and in 1911.")
    assert find_entities_not_in(found, ["1867", "1911"]) == []


@given(st.text(max_size=200))
def test_an_answer_stands_in_itself(text: str) -> None:
    found = extract_entities(text)
    assert find_entities_not_in(found, [text]) == []
    assert all(0 <= one.start < one.end <= len(text) for one in found)
