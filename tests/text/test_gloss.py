"""Glosses of questions and how much of them is known."""

import pytest

from text.gloss import can_gloss, gloss


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("de", "Wann müssen Schüler Schutzbrillen tragen?", "when must pupil goggles wear"),
        ("de", "Wovon hängt die Säurekonzentration ab?", "of what depend acid concentration"),
        ("de", "Wie wird 0,5 mol/l Salzsäure gemischt?", "how is 0.5 mol/l hydrochloric acid mix"),
        ("de", "Was ist LS-09? Wer misst die Reaktionswärme?", "what is LS-09? who measures reaction heat"),
        ("de", "Was ist die Denitrifikation?", "what is denitrification"),
        ("fr", "Quand les élèves doivent-ils porter des lunettes ?", "when pupil must they wear some glasses"),
        ("fr", "Qu’est-ce que l’accélération ?", "what acceleration"),
        ("es", "¿Cuándo deben llevar los alumnos gafas de seguridad?", "when must wear pupil goggles"),
        ("es", "¿Que es la velocidad?", "that is speed"),
    ],
)  # fmt: skip
def test_into_english(language: str, question: str, expected: str) -> None:
    found = gloss(question, language, "en")
    assert (found.text, found.share) == (expected, 1.0)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", "wie stark dürfen Salzsäure sein"),
        ("fr", "comment fort peut acide chlorhydrique être"),
        ("es", "cómo fuerte se puede ácido clorhídrico ser"),
    ],
)
def test_from_english(language: str, expected: str) -> None:
    assert gloss("How strong may hydrochloric acid be?", "en", language).text == expected


def test_names_numbers_and_codes_stay_and_do_not_count() -> None:
    found = gloss("Wann wurde Silas Vance 1726 in LS-09 genannt?", "de", "en")
    assert found.text == "when was Silas Vance 1726 in LS-09 called"
    assert (found.content, found.known) == (1, 1)


def test_unknown_words_stay_and_count() -> None:
    found = gloss("Warum xylt der Quomb im Labor?", "de", "en")
    assert found.text == "why xylt Quomb in the laboratory"
    assert (found.content, found.known) == (3, 1)


def test_words_of_the_documents_need_no_translation() -> None:
    assert gloss("Warum sinkt der lighter?", "de", "en", present={"lighter"}).share == 1.0


def test_separable_verbs_are_joined() -> None:
    assert gloss("Wann findet die Klassenfahrt statt?", "de", "en").text == "when take place school trip"


def test_a_question_without_content_words_is_known() -> None:
    assert gloss("Warum?", "de", "en").share == 1.0


def test_pairs_without_a_dictionary() -> None:
    assert not can_gloss("de", "fr")
    assert not can_gloss("it", "en")
    with pytest.raises(ValueError, match="no dictionary"):
        gloss("Pourquoi ?", "fr", "de")
