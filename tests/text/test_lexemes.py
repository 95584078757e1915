"""Lexemes are PostgreSQL's stems."""

import pytest
from django.db import connection

from text.lexemes import find_written_forms, full_text_input, lexemes, select_matchable
from text.matching import WINDOW, closeness


def test_numbers_marks_and_unspaced_scripts() -> None:
    assert lexemes("at (0.5 mol/l),", "english") == ["at", "0.5", "mol", "l"]
    assert lexemes("L’examen d'histoire", "french") == ["l", "examen", "d", "histoir"]
    assert lexemes("水は沸騰する", "simple") == list("水は沸騰する")
    assert full_text_input("“goggles”…") == " goggles  "


def test_what_cannot_be_told_in_a_text_is_not_missed() -> None:
    idf = {"ls": 1.0, "-07": 4.0, "goggl": 2.0}
    assert select_matchable("Are goggles part of LS-07?", idf, "english") == {"ls": 1.0, "goggl": 2.0}


def test_a_stem_is_shown_as_its_word_was_written() -> None:
    assert find_written_forms("Do (acids) boil?", {"boil", "acid", "-07"}, "english") == {
        "acid": "acids",
        "boil": "boil",
        "-07": "-07",
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("configuration", "text"),
    [
        ("english", "Hydrochloric acids were diluted carefully; pupils' goggles, boiling, 0.5 mol"),
        ("german", "Die Schülerinnen verdünnen Säuren vorsichtig mit Wasser, Häuser und Prüfungen 2024"),
        ("french", "Les élèves diluaient prudemment les acides chlorhydriques dans les éprouvettes"),
        ("spanish", "Los alumnos diluyeron cuidadosamente los ácidos clorhídricos en las probetas"),
        ("dutch", "De lichamelijke opgloeiende katten verdunnen de zuren in de huizen"),
        ("russian", "Ученики осторожно разбавляли кислоты водой goggles"),
        ("hindi", "लड़कियाँ पानी में अम्ल मिलाती हैं goggles"),
        ("tamil", "மாணவர்கள் அமிலங்களை நீரில் கலக்கினர்"),
        ("simple", "Uczniowie ostrożnie rozcieńczali kwasy"),
    ],
)
def test_stems_are_those_of_the_database(configuration: str, text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tsvector_to_array(to_tsvector(%s::regconfig, %s))", [configuration, text])
        (expected,) = cursor.fetchone()
    weights = dict.fromkeys(expected, 1.0)
    assert select_matchable(text, weights, configuration) == weights
    assert closeness(lexemes(" ".join(text.split()[:WINDOW]), configuration), weights) > 0.9
