"""Worked examples become calculations with other numbers; nothing else is computed."""

from random import Random

import pytest

from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.calculations import ask_for_results, evaluate
from learning.questions.sources import ConceptSources
from tests.learning.question_texts import concept


def ask(text: str, language: str = "en") -> list[DraftQuestion]:
    definition = "Speed is the distance that something travels in a time."
    sources = ConceptSources(concept("speed", definition, f"{definition} {text}"), [], language)
    return [one for group in ask_for_results(sources, Random(1)) for one in group]


@pytest.mark.parametrize(
    ("text", "formula", "unit"),
    [
        ("So the speed of a car is v = s / t = 150 km / 3 h = 50 km/h.", "v = s / t = ", "km/h"),
        (
            "The speed is $v = \\frac{s}{t} = \\frac{150\\,\\text{km}}{3\\,\\text{h}} = 50\\,\\text{km/h}$.",
            "v = s/t = ",
            "km/h",
        ),
        ("Its speed makes p = 12,5 kg · 4 m/s = 50 kg·m/s.", "p = ", "kg·m/s"),
        ("**Example:** speed 1/2 + 1/3 = 3/6 + 2/6 = 5/6.", "", ""),
        ("At this speed E = 1/2 · m · v² = 1/2 · 2 kg · (3 m/s)² = 9 J.", "", "J"),
        ("The speed = 150 km / 3 h = 50 km/h.", "", "km/h"),
        ("The speed is f(2) = 3 · 2 + 1 = 7.", "", ""),
        ("This speed has 0 °C + 273 = 273 K.", "", "K"),
    ],
)
def test_a_worked_example_is_asked_with_other_numbers(text: str, formula: str, unit: str) -> None:
    [question] = ask(text)
    prompt = question.prompt.removeprefix(f"Work out: {formula}").removesuffix(" = ____")
    assert question.kind == QuestionKind.NUMBER and question.answer["unit"] == unit
    assert prompt not in text and question.answer["value"] == pytest.approx(evaluate(prompt), rel=1e-4)
    assert question.explanation.endswith("[1]")


@pytest.mark.parametrize(
    ("text", "formula", "unit", "in_base_units"),
    [
        ("The speed is 2 m + 30 cm = 2.3 m.", "", "m", 1),
        ("Speed takes it s = v · t = 6 m/s · 3 s = 18 m.", "s = v · t = ", "m", 1),
        ("The speed is v = 90 km / 30 min = 180 km/h.", "v = ", "km/h", 3.6),
        ("With this speed P = W / t = 600 J / 30 s = 20 W.", "P = W / t = ", "W", 1e-3),
        ("At this speed E = 1/2 · 2 kg · (3 m/s)² = 9 J.", "E = ", "J", 1e-3),
    ],
)
def test_units_are_computed_too(text: str, formula: str, unit: str, in_base_units: float) -> None:
    [question] = ask(text)
    prompt = question.prompt.removeprefix(f"Work out: {formula}").removesuffix(" = ____")
    value = evaluate(prompt, lambda _: 1)
    assert question.answer["unit"] == unit and value
    assert question.answer["value"] == pytest.approx(value * in_base_units, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("At this speed E = 1/2 · 2 kg · (3 m/s)² = 9 J.", "1/2 · "),
        ("Without speed F = 2 kg · 9.81 m/s² = 19.62 N.", "9.81 m/s²"),
        ("Of the speed that is 12 / 48 · 100 % = 25 %.", "100 %"),
    ],
)
def test_constants_stay(text: str, kept: str) -> None:
    [question] = ask(text)
    assert kept in question.prompt


def test_large_numbers_have_two_digits_that_count() -> None:
    [question] = ask("At this speed E = 2875 W · 45 s = 129375 J.")
    watts = question.prompt.partition("E = ")[2].partition(" W")[0]
    assert watts.endswith("00") and watts != "2875"


@pytest.mark.parametrize(
    "text",
    [
        "The speed is 2 + 2 = 5.",
        "The speed is 2 m + 30 cm = 32 m.",
        "The speed is s = v · t = 5 m/s · 4 s = 20 m/s.",
        "The speed is v = s / t = 150 km / 3 h = 50 km.",
        "The speed is 3 m + 4 s = 7 m.",
        "The speed is 150 km / 3 h = 50.",
        "Without speed F = 2 kg · 9.81 = 19.62 N.",
        "The speed is x = 3y + 2 = 8.",
        "The speed of a ball is 5 m/s.",
        "The speed is 3 cows + 4 cows = 7 cows.",
        "The speed is 1,200 · 2 = 2,400.",
        "The speed is √9 · 1 = 9.",
        "A river is long. 3 m + 4 m = 7 m. Salmon swim.",
    ],
)
def test_what_is_no_worked_example_is_not_asked(text: str) -> None:
    sources = ConceptSources(concept("speed", "", text), [], "en")
    assert not [*ask_for_results(sources, Random(1))]


@pytest.mark.parametrize(
    "text", ["__import__('os')", "1 if 1 else 2", "9**99", "(-8)**0.5", "2 / 0", "1 +", "[1]", "9" * 5000, "(" * 999]
)
def test_only_numbers_are_computed(text: str) -> None:
    assert evaluate(text) is None


@pytest.mark.parametrize(
    ("text", "most"), [("Of the speed 36 / 48 · 100 % = 75 %.", 100), ("Its speed is 3/6 = 1/2.", 1)]
)
def test_a_share_is_no_more_than_all(text: str, most: int) -> None:
    sources = ConceptSources(concept("speed", "", text), [], "en")
    found = [question for seed in range(20) for [question] in ask_for_results(sources, Random(seed))]
    assert found and all(0 < question.answer["value"] <= most for question in found)


def test_signs_and_powers() -> None:
    assert evaluate("−3 · (2 m)^2 : 4") == -3
    assert evaluate("2,5 × 4 − 1") == 9
