"""The language of a question."""

import pytest

from text.question_language import question_language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("When do pupils have to wear goggles?", "en"),
        ("What was it called in 1726?", "en"),
        ("Was ist Osmose?", "de"),
        ("Wie viel Säure?", "de"),
        ("Quand les élèves portent-ils des gants ?", "fr"),
        ("Combien de temps ?", "fr"),
        ("¿Qué pasa con el ácido?", "es"),
        ("Cuantos alumnos hay en la clase?", "es"),
    ],
)
@pytest.mark.parametrize("expected", ["en", "de"])
def test_by_function_words(question: str, language: str, expected: str) -> None:
    assert question_language(question, usual="en", expected=expected) == language


def test_without_function_words_it_is_the_usual_one() -> None:
    assert question_language("Osmose", usual="de", expected="en") == "de"


def test_a_single_sign_is_not_enough() -> None:
    assert question_language("Die Hard", usual="en", expected="en") == "en"
