"""What a question asks for, in four languages."""

import pytest

from engines.extractive.question_types import (
    AnswerType,
    definition_score,
    expected_answer,
    split_questions,
    term_to_define,
)
from text.stemming import stems


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did the war end?", AnswerType.DATE),
        ("In what year was it built?", AnswerType.DATE),
        ("How many people came?", AnswerType.NUMBER),
        ("Who wrote it, and when?", AnswerType.NAME),
        ("Where is the library?", AnswerType.NAME),
        ("Why is the sky blue?", AnswerType.OTHER),
        ("Do pupils who dilute acids need goggles when they are in a hurry?", AnswerType.OTHER),
        ("What do I do, and when?", AnswerType.DATE),
        ("Wann beginnt der Unterricht?", AnswerType.DATE),
        ("Wie lange dauert die Pause?", AnswerType.NUMBER),
        ("Wer hat Amerika entdeckt?", AnswerType.NAME),
        ("Was ist Licht?", AnswerType.OTHER),
        ("Quand commence l’école ?", AnswerType.DATE),
        ("Combien coûte le repas ?", AnswerType.NUMBER),
        ("Où est la bibliothèque ?", AnswerType.NAME),
        ("Qui a écrit ce livre ?", AnswerType.NAME),
        ("Le livre qui est là, pourquoi ?", AnswerType.OTHER),
        ("¿Cuándo empieza la clase?", AnswerType.DATE),
        ("¿Cuántos alumnos hay?", AnswerType.NUMBER),
        ("¿Quién escribió el libro?", AnswerType.NAME),
    ],
)
def test_question_words_tell_what_is_asked_for(question: str, kind: AnswerType) -> None:
    assert expected_answer(question).type == kind


@pytest.mark.parametrize(
    ("question", "language", "has", "has_not"),
    [
        ("When did the war end?", "en", "It ended on 3 May.", "It ended soon."),
        ("When are goggles worn?", "en", "They are worn whenever acid is used.", "They are clean."),
        ("What happened in 1845, and when?", "en", "It was in 1846.", "It was in 1845."),
        ("How many came?", "en", "Some fifteen came, 15 in all.", "Many came."),
        ("Who wrote it?", "en", "It was written by Ada Hale.", "The book was written here."),
        (
            "What city did Ada Hale live in?",
            "en",
            "For long Ada Hale lived in Bath.",
            "For long Ada Hale lived.",
        ),
        ("Wer leitet die Schule?", "de", "Das macht Frau Wieland.", "Die Schule hat eine Leitung."),
        ("À quelle heure ?", "fr", "On commence à 8h15.", "On commence tôt."),
        ("¿Cuántos son?", "es", "Son veinte.", "Son bastantes."),
    ],
)
def test_a_sentence_has_what_is_asked_for_or_not(question: str, language: str, has: str, has_not: str) -> None:
    assert expected_answer(question).is_in(has, language)
    assert not expected_answer(question).is_in(has_not, language)


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("What is inertia?", "inertia"),
        ("What is meant by the speed of light?", "speed of light"),
        ("What does “inertia” mean?", "inertia"),
        ("Who was Silas Vance?", "Silas Vance"),
        ("Define an alloy.", "alloy"),
        ("Was ist eine Venenklappe?", "Venenklappe"),
        ("Qu’est-ce que l’inertie ?", "inertie"),
        ("¿Qué es la inercia?", "inercia"),
        ("What is the best way to get from the school to the station?", ""),
        ("Why is the sky blue?", ""),
    ],
)
def test_the_word_whose_meaning_is_asked_for(question: str, term: str) -> None:
    assert term_to_define(question) == term


@pytest.mark.parametrize(
    ("sentence", "surely"),
    [
        ("Inertia is the tendency to keep a velocity.", 1),
        ("This tendency is called *inertia*.", 1),
        ("Inertia grows with mass.", 0.5),
        ("The bus has inertia.", 0),
        ("Tea is hot.", 0),
    ],
)
def test_how_surely_a_sentence_explains_a_word(sentence: str, surely: float) -> None:
    assert definition_score(stems(sentence, "en"), stems("inertia", "en"), "en") == surely


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Where is it? When does it open?", ["Where is it?", " When does it open?"]),
        ("Where is the walk, and when does school end?", ["Where is the walk", "when does school end?"]),
        (
            "Wo ist der Hof und wann beginnt der Unterricht?",
            ["Wo ist der Hof", "wann beginnt der Unterricht?"],
        ),
        ("When was it built and how long did it take?", ["When was it built and how long did it take?"]),
        ("Who sits there and why?", ["Who sits there and why?"]),
        ("Photosynthesis", ["Photosynthesis"]),
    ],
)
def test_questions_that_are_split_questions(question: str, parts: list[str]) -> None:
    assert split_questions(question) == parts
