"""Which sentences can stand alone, and which define a term."""

import time

import pytest

from learning.grading.quantities import Quantity, find_quantities
from learning.reading.statements import Certainty, Statement, find_definition, find_fault, plain, read_statements
from tests.learning.question_texts import passage


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("Osmosis is the movement of water through a membrane.", ""),
        ("It is the movement of water through a membrane.", "goes on from another sentence"),
        ("However, water also moves through a membrane.", "goes on from another sentence"),
        ("The cell in Figure 3 is filled with water.", "points elsewhere"),
        ("Water does so, and we see it pass through a membrane.", "points elsewhere"),
        ("The average acceleration of a body is given by.", "broken"),
        ("Notice how the forces in , which act on it, differ.", "broken"),
        ("The formula $F = ma$ is the second law of motion.", "broken"),
        ("Water is.", "length"),
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


def test_exercises_and_offered_answers_are_left_out() -> None:
    right = "Friction is a force that opposes the motion of a body."
    texts = [
        passage(1, right),
        passage(2, "Gravity is a force that pulls all bodies down.", heading=("Check Your Understanding",)),
        passage(3, "**Homework:** Friction in the bathroom makes a fine topic for a drawing."),
        passage(
            4, "Which force acts here?\n\n- Thrust is a force that acts upon the body.\n- Drag is a force of the air."
        ),
    ]
    assert [one.text for one in read_statements(texts, "en")] == [right]


def test_the_sentence_before_is_that_of_the_same_paragraph() -> None:
    text = "Bodies rub. This is called **friction**.\n\n**Note:** Gravity pulls all bodies down to the ground."
    first, second, third = read_statements([passage(1, text)], "en")
    assert [first.before, second.before, third.before] == ["", "Bodies rub.", ""]
    assert second.bold == ["friction"]
    assert third.text == "Gravity pulls all bodies down to the ground."


@pytest.mark.parametrize(
    "raw",
    ["Explain how friction slows a body.", "Nenne drei Kräfte.", "Calcule la vitesse du corps.", "Dibuja una célula."],
)
def test_an_instruction_states_nothing(raw: str) -> None:
    language = {"E": "en", "N": "de", "C": "fr", "D": "es"}[raw[0]]
    assert read_statements([passage(1, raw)], language) == []


@pytest.mark.parametrize(
    ("sentence", "term", "language", "meaning"),
    [
        ("Power is the rate at which work is done.", "power", "en", "the rate at which work is done"),
        ("**Chloroplasts** are green organelles of plants.", "chloroplast", "en", "green organelles of plants"),
        ("The study of moving bodies is called kinematics.", "kinematics", "en", "the study of moving bodies"),
        (
            "It is filled with **cytoplasm**, a clear liquid like jelly, and salts.",
            "cytoplasm",
            "en",
            "a clear liquid like jelly",
        ),
        ("**Nucleus**: contains the genes of the cell.", "nucleus", "en", "contains the genes of the cell"),
        ("**Ribosomes** make proteins for cells because these die.", "ribosome", "en", "make proteins for cells"),
        ("Unter Arbeit versteht man das Produkt aus Kraft und Weg.", "Arbeit", "de", "das Produkt aus Kraft und Weg"),
        ("La masse est la quantité de matière du corps.", "masse", "fr", "la quantité de matière du corps"),
        ("El gen es un fragmento de ADN con instrucciones.", "gen", "es", "un fragmento de ADN con instrucciones"),
        ("Drag is it that slows bodies in the air.", "drag", "en", ""),
        ("**Force** of habit slows bodies in the air.", "force", "en", ""),
        ("Power stations burn coal.", "force", "en", None),
    ],
)
def test_meanings(sentence: str, term: str, language: str, meaning: str | None) -> None:
    found = find_definition(Statement(plain(sentence), 1, sentence), term, language)
    assert (found.meaning if found else None) == meaning


def test_what_leans_on_the_sentence_before_means_that() -> None:
    before = "Particles spread to places where there are few."
    statement = Statement("This is called diffusion.", 1, "This is called **diffusion**.", before)
    found = find_definition(statement, "diffusion", "en")
    assert found is not None
    assert (found.certainty, found.meaning) == (Certainty.DEFINED, before.rstrip("."))


def quantities(sentence: str, language: str = "en") -> list[Quantity]:
    return [one for _, _, one in find_quantities(sentence, language)]


def test_quantities_need_a_unit() -> None:
    assert [(one.readings[0], one.unit) for one in quantities("Light takes 8.3 minutes for 149,600,000 km.")] == [
        (8.3, "minutes"),
        (149_600_000.0, "km"),
    ]
    assert not quantities("In the 1870s there were 12 ships.") and not quantities(
        "It is 5 pm, or (5 km) away, 5-10 km."
    )
    (climate,) = quantities("Das Klima ist das Wetter über 30 Jahre.", "de")
    assert (climate.readings[0], climate.unit) == (30.0, "Jahre")


def test_a_number_too_long_to_be_stored_is_no_quantity() -> None:
    assert quantities(f"The mass is {'9' * 15} kg.") and not quantities(f"The mass is {'9' * 400} kg.")


def test_a_long_run_of_one_term_costs_no_time() -> None:
    runaway = Statement(plain("**Force** " * 4_000), 1, "**Force** " * 4_000)
    before = time.process_time()
    assert find_definition(runaway, "force", "en")
    assert time.process_time() - before < 5
