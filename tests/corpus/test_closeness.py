"""How close together a passage says what was asked; its stems must be PostgreSQL's."""

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from corpus.search.proximity import WINDOW, closeness, stem, within_reach

WEIGHTS = {"acid": 2.0, "dilut": 3.0, "water": 5.0}


def test_words_close_together_count_together() -> None:
    assert closeness("Dilute the acids with water.", WEIGHTS, "english") == 1
    apart = "Acids " + "and more " * WINDOW + "diluted with water"
    assert closeness(apart, WEIGHTS, "english") == 0.8
    assert closeness("acid acid ACIDS", WEIGHTS, "english") == 0.2, "a word counts once"
    assert closeness("nothing of the sort", WEIGHTS, "english") == 0
    assert closeness("", WEIGHTS, "english") == 0
    assert closeness("acid", {}, "english") == 0


def test_the_window_ends_where_it_says() -> None:
    for between, expected in ((WINDOW - 2, 0.5), (WINDOW - 1, 0.3)):
        assert closeness("acid " + "x " * between + "dilute", WEIGHTS, "english") == expected


def test_numbers_marks_and_unspaced_scripts() -> None:
    assert closeness("at (0.5 mol/l),", {"0.5": 1.0, "mol": 1.0}, "english") == 1
    assert closeness("L’examen d'histoire", {"examen": 1.0, "histoir": 1.0}, "french") == 1
    assert closeness("水は沸騰する", {"水": 1.0, "沸": 1.0}, "simple") == 1


def test_what_cannot_be_told_in_a_text_is_not_missed() -> None:
    idf = {"ls": 1.0, "-07": 4.0, "goggl": 2.0}
    assert within_reach("Are goggles part of LS-07?", idf, "english") == {"ls": 1.0, "goggl": 2.0}


@given(st.lists(st.sampled_from(["acid", "diluted", "water", "x"]), max_size=40))
def test_it_is_never_more_than_all_and_never_less_than_the_best_word(words: list[str]) -> None:
    found = closeness(" ".join(words), WEIGHTS, "english")
    there = {stem("english", word) for word in words} & WEIGHTS.keys()
    best = max((WEIGHTS[word] for word in there), default=0)
    assert best / 10 <= found <= sum(WEIGHTS[word] for word in there) / 10


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
    assert within_reach(text, weights, configuration) == weights
    assert closeness(" ".join(text.split()[:WINDOW]), weights, configuration) > 0.9
