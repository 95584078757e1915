"""How close together a passage says what was asked; its stems must be PostgreSQL's."""

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from corpus.closeness import WINDOW, closeness, stem

WEIGHTS = {"acid": 2.0, "dilut": 3.0, "water": 1.0}


def test_words_close_together_count_together() -> None:
    assert closeness("Dilute the acids with water.", WEIGHTS, "english") == 6
    apart = "Acids " + "and more " * WINDOW + "diluted with water"
    assert closeness(apart, WEIGHTS, "english") == 4
    assert closeness("acid acid ACIDS", WEIGHTS, "english") == 2, "a word counts once"
    assert closeness("nothing of the sort", WEIGHTS, "english") == 0
    assert closeness("", WEIGHTS, "english") == 0


def test_the_window_ends_where_it_says() -> None:
    for between, expected in ((WINDOW - 2, 5), (WINDOW - 1, 3)):
        assert closeness("acid " + "x " * between + "dilute", WEIGHTS, "english") == expected


def test_numbers_and_unspaced_scripts() -> None:
    assert closeness("at 0.5 mol", {"0.5": 1.0, "mol": 1.0}, "english") == 2
    assert closeness("水は沸騰する", {"水": 1.0, "沸": 1.0}, "simple") == 2


@given(st.lists(st.sampled_from(["acid", "diluted", "water", "x"]), max_size=40))
def test_it_is_never_more_than_all_and_never_less_than_the_best_word(words: list[str]) -> None:
    found = closeness(" ".join(words), WEIGHTS, "english")
    there = {stem("english", word) for word in words} & WEIGHTS.keys()
    assert max((WEIGHTS[word] for word in there), default=0) <= found <= sum(WEIGHTS[word] for word in there)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("configuration", "text"),
    [
        (
            "english",
            "Hydrochloric acids were diluted carefully; pupils' goggles, boiling, 0.5 mol",
        ),
        ("german", "Die Schülerinnen verdünnen Säuren vorsichtig mit Wasser, Häuser und Prüfungen 2024"),
        ("french", "Les élèves diluaient prudemment les acides chlorhydriques dans les éprouvettes"),
        ("spanish", "Los alumnos diluyeron cuidadosamente los ácidos clorhídricos en las probetas"),
        ("russian", "Ученики осторожно разбавляли кислоты водой"),
        ("simple", "Uczniowie ostrożnie rozcieńczali kwasy"),
    ],
)
def test_stems_are_those_of_the_database(configuration: str, text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tsvector_to_array(to_tsvector(%s::regconfig, %s))", [configuration, text])
        (expected,) = cursor.fetchone()
    weights = dict.fromkeys(expected, 1.0)
    words = [word for word in text.replace(",", " ").replace(";", " ").split() if word]
    found = {stem(configuration, word.lower().strip("'")) for word in words}
    assert set(expected) <= found
    assert closeness(" ".join(words[:WINDOW]), weights, configuration) > 0
