"""Words as rules compare them."""

import pytest

from classrooms.concern.folding import fold, sentences, words
from classrooms.concern.shapes import shapes


def forms(text: str) -> list[str]:
    return [word.forms[0] for word in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Größe NÄHE été niño", "grosse nahe ete nino"),
        ("I don’t, I can't", "i dont i cant"),
        ("J'ai l’eau qu'il m'a", "j ai l eau qu il m a"),
        ("self-harm and e-mail", "self harm and e mail"),
        ("*really* **bold** @someone", "really bold someone"),
        ("k i l l me, d.i.e", "kill me die"),
        ("su\u200bici\u00adde", "suicide"),
        ("a b", "a b"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert forms(text) == expected.split()


@pytest.mark.parametrize(
    ("disguised", "plain"),
    [("k1ll", "kill"), ("su1c1de", "suicide"), ("di3", "die"), ("$tab", "stab"), ("killlll", "kill"), ("diiie", "die")],
)
def test_disguises_are_one_form_of_a_word(disguised: str, plain: str) -> None:
    assert plain in words(disguised)[0].forms


def test_words_know_their_places() -> None:
    text = "He said: “D'accord, k i l l”."
    assert [text[word.start : word.end] for word in words(text)] == ["He", "said", "D", "accord", "k i l l"]


def test_numbers_are_not_disguised_words() -> None:
    assert words("105")[0].forms == ("105",)


def test_sentences_end_at_marks_and_lines_and_not_at_dots_in_a_row() -> None:
    text = "I want to... die. Mr. Smith saw it!\nReally? 3.5 km"
    assert [text[a:b].strip() for a, b in sentences(text)] == [
        "I want to... die.",
        "Mr. Smith saw it!",
        "Really?",
        "3.5 km",
    ]


def test_fold_leaves_plain_text() -> None:
    assert fold("plain") == "plain"


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("mail a.b+c@example.org now", "email"),
        ("07700 900482", "phone"),
        ("+49 151 23456789", "phone"),
        ("06 12 34 56 78", "phone"),
        ("612 345 678", "digits"),
        ("4929 1234 5678 9012", "card"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("12/04/2012", "date"),
        ("on 2012-04-12", "date"),
        ("@lil.mia", "handle"),
        ("jayden_x09", "handle"),
        ("SW1A 2AA", "postcode"),
        ("14a", "number"),
        ("in 1999", "year"),
        ("Mia", "name"),
    ],
)
def test_shapes(text: str, shape: str) -> None:
    assert shape in {name for name, _, _ in shapes(text)}


@pytest.mark.parametrize("text", ["0.333333333", "01101001", "1939-1945", "0 1 0 1 1 0 1 0 1", "3.14159265"])
def test_digits_of_maths_and_history_are_no_telephone_number(text: str) -> None:
    assert {"phone", "card", "date"}.isdisjoint({name for name, _, _ in shapes(text)})
