"""Exercises that an author wrote become questions, with the author's answers."""

import pytest

from learning.concepts.find_concepts import find_concepts
from learning.material import DraftQuestion, QuestionKind
from learning.questions.exercises import add_exercises
from tests.learning.passages import passage

TEXTS = {
    "en": (
        "**Osmosis** is the diffusion of water through a membrane. Roots take up water because soil has fewer salts.",
        "Osmosis",
    ),
    "de": ("**Osmose** ist die Diffusion von Wasser durch eine Membran.", "Osmose"),
    "fr": ("L'**osmose** est la diffusion de l'eau à travers une membrane.", "osmose"),
    "es": ("La **ósmosis** es la difusión del agua a través de una membrana.", "ósmosis"),
}


def ask(language: str, *sections: tuple[str, str]) -> list[DraftQuestion]:
    passages = [passage(TEXTS[language][0], "Water"), *(passage(text, heading) for heading, text in sections)]
    concepts = add_exercises(find_concepts(passages, language=language), passages, language)
    for concept in concepts:
        for question in concept.questions:
            cited = concept.passages[question.sources[0] - 1]
            assert question.explanation.rpartition(" [")[0] in cited.text
    return [question for concept in concepts for question in concept.questions]


@pytest.mark.parametrize(
    ("language", "exercises", "answers"),
    [
        ("en", "Exercises", "Answers"),
        ("en", "Review Questions", "Solutions to the exercises"),
        ("de", "Aufgaben", "Lösungen"),
        ("fr", "Exercices", "Corrigés"),
        ("es", "Ejercicios", "Soluciones"),
        ("en", "3.1 Exercises", "3.2 Answers"),
        ("de", "Aufgaben", "Musterlösungen zu den Aufgaben"),
        ("fr", "Exercices", "Solutions des exercices"),
        ("es", "Ejercicios", "Soluciones de los ejercicios"),
    ],
)
def test_an_exercise_has_the_answer_of_its_number(language: str, exercises: str, answers: str) -> None:
    name = TEXTS[language][1]
    asked = f"1. Draw a cell.\n2. {name}: salt, water, cell?\n"
    [question] = ask(language, (exercises, asked), (answers, "1. A drawing.\n2. Water goes in.\n"))
    assert (question.kind, question.prompt) == (QuestionKind.SHORT, f"{name}: salt, water, cell?")
    assert question.answer == {"reference": "Water goes in."} and question.explanation.startswith("Water goes in. [")


def test_an_answer_may_stand_below_its_exercise() -> None:
    text = "Task 1: Where does osmosis take water in?\n\n*Answer:* In the roots.\n\nTask 2: Draw it."
    [question] = ask("en", ("Exercises", text))
    assert question.prompt == "Where does osmosis take water in?" and question.answer == {"reference": "In the roots."}


def test_an_answer_begins_a_sentence() -> None:
    [question] = ask("en", ("Exercises", "1. By osmosis, what enters the solution: salt or water? Answer: Water."))
    assert question.prompt.endswith("salt or water?") and question.answer == {"reference": "Water."}


@pytest.mark.parametrize(
    ("answer", "value", "unit"),
    [
        ("12 N", 12.0, "N"),
        ("p = 2.5 kPa.", 2.5, "kPa"),
        ("-3", -3.0, ""),
        ("3/4", 0.75, ""),
        ("3 · 10^8 m/s", 3e8, "m/s"),
    ],
)
def test_an_answer_that_is_a_number_is_graded_as_one(answer: str, value: float, unit: str) -> None:
    [question] = ask("en", ("Exercises", f"1. What is the pressure by osmosis?\n\nAnswer: {answer}"))
    assert question.kind == QuestionKind.NUMBER
    assert (question.answer["value"], question.answer["unit"]) == (value, unit)


@pytest.mark.parametrize(
    "answer", ["About 12 N of force", "12 roots and 3 leaves", "2 · 3 = 6 N", "10, 20, 30", "12.05.1945"]
)
def test_an_answer_with_more_than_a_number_is_none(answer: str) -> None:
    [question] = ask("en", ("Exercises", f"1. What is the pressure by osmosis?\n\nAnswer: {answer}"))
    assert question.answer == {"reference": answer}


def test_without_an_answer_a_sentence_of_the_text_answers() -> None:
    [question] = ask("en", ("Exercises", "1. Why do roots take up water by osmosis?\n2. How old is osmosis?"))
    assert question.answer["reference"].startswith("Roots take up water because")


@pytest.mark.parametrize(
    "text",
    [
        "1. What is the figure of osmosis above?\n\nAnswer: Water.",
        "1. Which one is osmosis?\n\na) Water\n\nb) Salt\n\nAnswer: a",
        "1. Which one is osmosis?\n\nA. Water\n\nB. Salt\n\nAnswer: A",
        "1. What is a whale?\n\nAnswer: A mammal.",
        f"1. What is osmosis? {'It is long. ' * 60}\n\nAnswer: Water.",
    ],
)
def test_what_nobody_can_answer_is_not_asked(text: str) -> None:
    assert not ask("en", ("Exercises", text))


def test_answers_of_two_chapters_are_not_mixed_up() -> None:
    passages = [passage(TEXTS["en"][0], "Water")]
    for chapter, answer in (("One", "First."), ("Two", "Second.")):
        passages += [
            passage(f"1. What of osmosis in {chapter}?", chapter, "Exercises"),
            passage(f"1. {answer}", chapter, "Answers"),
        ]
    passages += [passage("1. Wrong.", "Answers")]
    [concept] = add_exercises(find_concepts(passages, language="en"), passages, "en")
    assert [one.answer["reference"] for one in concept.questions] == ["First.", "Second."]


def test_a_concept_has_few_of_them() -> None:
    text = "\n\n".join(f"{number}. What of osmosis {number}?\n\nAnswer: Water {number}." for number in range(1, 9))
    assert len(ask("en", ("Exercises", text))) == 4
