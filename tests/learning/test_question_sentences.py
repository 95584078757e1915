"""Which sentences can stand alone, and which define a term."""

import pytest

from learning.questions.text.definitions import find_definition
from learning.questions.text.numbers import changed_number, quantities
from learning.questions.text.sentences import PassageStatement, find_fault, read_statements
from tests.learning.question_texts import passage


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("Osmosis is the movement of water through a membrane.", ""),
        ("It is the movement of water through a membrane.", "goes on from another sentence"),
        ("However, water also moves through a membrane.", "goes on from another sentence"),
        ("The cell in Figure 3 is filled with water.", "points elsewhere"),
        ("You can see that water passes through a membrane.", "points elsewhere"),
        ("The average acceleration of a body is given by.", "broken"),
        ("Notice how the forces in , which act on it, differ.", "broken"),
        ("The formula $F = ma$ is the second law of motion.", "broken"),
        ("A large green plant with leaves and long roots.", "no verb"),
        ("Water is wet.", "length"),
    ],
)
def test_a_sentence_is_understood_alone(sentence: str, problem: str) -> None:
    assert find_fault(sentence, "en") == problem


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("Diese Kraft ist größer als die Kraft des Motors.", "de"),
        ("Cette force est plus grande que la force du moteur.", "fr"),
        ("Esta fuerza es mayor que la fuerza del motor.", "es"),
    ],
)
def test_pronouns_of_other_languages_lean_too(sentence: str, language: str) -> None:
    assert find_fault(sentence, language) == "goes on from another sentence"


def test_exercises_boxes_and_offered_answers_are_left_out() -> None:
    right = "Friction is a force that opposes the motion of a body."
    texts = [
        passage(1, right),
        passage(2, "Gravity is a force that pulls all bodies down.", heading=("Check Your Understanding",)),
        passage(3, "> Tension is a force that acts along a rope or cable."),
        passage(
            4, "Which force acts here?\n\n- Thrust is a force that acts upon the body.\n- Drag is a force of the air."
        ),
    ]
    assert [one.text for one in read_statements(texts, "en")] == [right]


def test_neighbours_of_a_statement_are_those_of_its_paragraph() -> None:
    text = (
        "Friction is a force that opposes motion. It slows a body down.\n\nGravity is a force that pulls bodies down."
    )
    first, second = read_statements([passage(1, text)], "en")
    assert (first.before, first.after) == ("", "It slows a body down.")
    assert (second.before, second.after) == ("", "")


@pytest.mark.parametrize(
    ("sentence", "term", "language", "meaning"),
    [
        ("Power is the rate at which work is done.", "power", "en", "the rate at which work is done"),
        ("The study of moving bodies is called kinematics.", "kinematics", "en", "the study of moving bodies"),
        ("Unter Arbeit versteht man das Produkt aus Kraft und Weg.", "Arbeit", "de", "das Produkt aus Kraft und Weg"),
        ("On appelle masse la quantité de matière du corps.", "masse", "fr", None),
        ("La masse est la quantité de matière du corps.", "masse", "fr", "la quantité de matière du corps"),
        ("El gen es un fragmento de ADN con instrucciones.", "gen", "es", "un fragmento de ADN con instrucciones"),
        ("Power is important in many areas of physics today.", "power", "en", None),
        ("Speed is a scalar.", "speed", "en", None),
        ("Drag is a force that slows its motion through air.", "drag", "en", None),
        ("The near point is called perihelion and the far one is called aphelion.", "aphelion", "en", None),
        ("The result is the multiple expansion engine of ships.", "result", "en", None),
        ("Hinduism is the fastest growing religion.", "Hinduism", "en", None),
    ],
)
def test_definitions(sentence: str, term: str, language: str, meaning: str | None) -> None:
    found = find_definition(PassageStatement(sentence, 1, sentence), term, language)
    assert (found.meaning if found else None) == meaning


def test_quantities_need_a_unit() -> None:
    assert [(one.value, one.unit) for one in quantities("Light takes 8.3 minutes for 149,600,000 km.")] == [
        (8.3, "minutes"),
        (149_600_000.0, "km"),
    ]
    assert not quantities("In the 1870s there were 12 ships.")


def test_a_changed_number_keeps_its_form() -> None:
    (one,) = quantities("It is 299,792,458 m/s.")
    assert changed_number(one, "299,792,458", 2.0) == "599,584,916"
    (other,) = quantities("It is 9.80 m/s.")
    assert changed_number(other, "9.80", 3.0) == "29.40"
