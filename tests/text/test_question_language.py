"""The language of a question."""

import pytest

from text.question_language import is_foreign, question_language


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


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Qual è la capitale di un paese?", "it"),
        ("Quando fu fondata la città di Roma?", "it"),
        ("Qual é a capital do Brasil?", "pt"),
        ("De que é feito um átomo?", "pt"),
        ("Hoe is het weer in de winter?", "nl"),
        ("Cine a scris un roman de la 1900?", "ro"),
        ("Quina és la capital de Catalunya?", "ca"),
        ("Co to jest metafora?", ""),
        ("What is a metaphor?", "en"),
        ("Was ist eine Metapher?", "de"),
    ],
)
def test_a_question_is_not_foreign_to_its_own_language(question: str, language: str) -> None:
    """Also where its function words are those of another language, too."""
    assert not is_foreign(question, language)


@pytest.mark.parametrize("language", ["it", "pt", "nl", ""])
@pytest.mark.parametrize(
    "question",
    ["How is rain formed?", "Was ist eine Metapher?", "Où est la bibliothèque ?", "¿Dónde está la biblioteca?"],
)
def test_a_question_is_foreign_to_a_language_without_known_function_words(question: str, language: str) -> None:
    assert is_foreign(question, language)
