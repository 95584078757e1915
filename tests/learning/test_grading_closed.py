"""Grading of what can be graded exactly: choices, gaps and numbers."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from learning.grading import grade
from learning.grading.quantities import parse_quantity, parse_unit
from learning.grading.short_answers import differs_by_one_letter
from learning.material import Grade, Verdict


@dataclass
class Asked:
    kind: str
    answer: dict[str, Any]
    options: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    prompt: str = "What?"
    explanation: str = "It is so [2], as the book says [1]."


def graded(question: Asked, given: Any, language: str = "en", **more: Any) -> Grade:
    return grade(question, given, (), language=language, **more)


def test_single_choice() -> None:
    question = Asked("single", {"correct": 1}, ["iron", "oxygen [3]"])
    assert graded(question, 1) == Grade(Verdict.RIGHT, "Right. [1][2]", 1.0, (1, 2))
    assert graded(question, 0).feedback == "Not right. The answer is “oxygen”. Read on in [1][2]."


@pytest.mark.parametrize(
    ("given", "verdict", "share"),
    [
        ([0, 1], "right", 1.0),
        ([0], "partly", 0.5),
        ([0, 2], "wrong", 0.0),
        ([0, 1, 2], "partly", 0.5),
        ([2], "wrong", 0),
    ],
)
def test_several_choices(given: list[int], verdict: str, share: float) -> None:
    result = graded(Asked("several", {"correct": [0, 1]}, ["vinegar", "lemon", "soap"]), given)
    assert (result.verdict, result.share) == (verdict, share)
    assert ("“lemon”" in result.feedback) == (1 not in given)
    assert ("Does not belong: “soap”" in result.feedback) == (2 in given)


def test_true_or_false_gives_the_reason_in_both_cases() -> None:
    question = Asked("truth", {"value": False, "reason": "A base takes protons [1]."})
    assert graded(question, False).feedback == "Right. A base takes protons. [1][2]"
    assert graded(question, True).feedback.startswith("Not right. The statement is false. A base takes protons.")


@pytest.mark.parametrize(
    ("given", "verdict", "share"),
    [([2, 0, 1], "right", 1.0), ([2, 1, 0], "partly", 2 / 3), ([0, 2, 1], "partly", 2 / 3), ([1, 0, 2], "wrong", 0)],
)
def test_order(given: list[int], verdict: str, share: float) -> None:
    result = graded(Asked("order", {"order": [2, 0, 1]}, ["pour", "stir", "measure"]), given)
    assert (result.verdict, result.share) == (verdict, share)
    assert ("“measure” → “pour” → “stir”" in result.feedback) == (verdict != "right")


def test_pairs() -> None:
    question = Asked("match", {"pairs": [0, 1, 2]}, ["acid", "base", "salt"], ["gives", "takes", "neither"])
    assert graded(question, [0, 1, 2]).verdict == Verdict.RIGHT
    partly = graded(Asked("match", {"pairs": [0, 1, 2, 0]}, ["a", "b", "c", "d"], ["x", "y", "z"]), [0, 1, 2, 2])
    assert (partly.verdict, partly.share) == (Verdict.PARTLY, 0.75)
    assert "“d” – “x”" in partly.feedback
    assert graded(question, [0, 2, 1]).verdict == Verdict.WRONG  # one of three is right by chance


CLOZE = [
    ("mitochondria", "Mitochondria", "right"),
    ("mitochondria", "the mitochondrion", "wrong"),
    ("mitochondria", "mitochodria", "right"),
    ("mitochondria", "mitcohondria", "right"),
    ("mitochondria", "ribosomes", "wrong"),
    ("protons", "proton", "right"),
    ("protons", "the protons", "right"),
    ("protons", "not protons", "wrong"),
    ("nitrate", "nitrite", "wrong"),
    ("alkane", "alkene", "wrong"),
    ("ion", "iron", "wrong"),
    ("afferent", "efferent", "wrong"),
    ("carbon dioxide", "carbon", "partly"),
    ("four", "4", "right"),
    ("1789", "1798", "wrong"),
    ("élève", "eleve", "right"),
    ("Straße", "strasse", "right"),
]


@pytest.mark.parametrize(("word", "given", "verdict"), CLOZE)
def test_a_gap_forgives_slips_but_no_other_word(word: str, given: str, verdict: str) -> None:
    assert graded(Asked("cloze", {"accepted": [word]}, prompt="It is ____."), given).verdict == verdict


def test_another_concept_is_no_slip() -> None:
    question = Asked("cloze", {"accepted": ["absorption"]})
    assert graded(question, "adsorption").verdict == Verdict.RIGHT
    assert graded(question, "Adsorption", other_names=["Adsorption", "Absorption"]).verdict == Verdict.WRONG
    assert graded(Asked("cloze", {"accepted": ["absorption"]}, prompt="Adsorption or ____?"), "adsorption").share == 0
    assert graded(question, "absorbtion").feedback == "Right. It is spelt “absorption”. [1][2]"


def test_a_slip_is_one_letter() -> None:
    assert (
        differs_by_one_letter("enzymme", "enzyme")
        and differs_by_one_letter("enzme", "enzyme")
        and differs_by_one_letter("ezynme", "enzyme") is False
    )
    assert not differs_by_one_letter("enzyme", "enzyme1")


NUMBERS = [
    ("en", 2.5, "km", "2.5 km", "right"),
    ("en", 2.5, "km", "2500 m", "right"),
    ("en", 2.5, "km", "2,500 metres", "right"),
    ("en", 2.5, "km", "2.52km", "right"),
    ("en", 2.5, "km", "2.6 km", "wrong"),
    ("en", 2.5, "km", "2.5 m", "partly"),
    ("en", 2.5, "km", "2.5", "partly"),
    ("de", 2.5, "km", "2,5 km", "right"),
    ("de", 2.5, "km", "2.500 m", "right"),
    ("fr", 1500, "g", "1 500 g", "right"),
    ("es", 1.5, "kg", "1500 gramos", "right"),
    ("en", 3, "min", "180 s", "right"),
    ("en", 3, "min", "3 minutes", "right"),
    ("en", 100, "°C", "100 degrees Celsius", "right"),
    ("en", 100, "°C", "373 K", "wrong"),
    ("en", 100, "°C", "100 K", "partly"),
    ("en", 90, "km/h", "25 m/s", "right"),
    ("en", 12, "N·m", "12 Nm", "right"),
    ("en", 12, "Nm", "12 N m", "right"),
    ("en", 12, "N·m", "12 nm", "partly"),
    ("en", 3.6, "MJ", "1 kWh", "right"),
    ("en", 90, "km/h", "90 kilometres per hour", "right"),
    ("en", 3e8, "m/s", "3 x 10^8 m/s", "right"),
    ("en", 3e8, "m/s", "3·10⁸ m/s", "right"),
    ("en", 20, "%", "0.2", "right"),
    ("en", 20, "%", "20 percent", "right"),
    ("en", 0.5, "", "1/2", "right"),
    ("en", 12, "", "12 pupils", "right"),
    ("en", 12, "pupils", "12 pupils", "right"),
    ("en", 12, "pupils", "12 teachers", "partly"),
    ("en", 12, "", "12 kg", "partly"),
    ("en", -4, "°C", "−4 °C", "right"),
    ("en", 0, "m", "0 m", "right"),
    ("en", 2, "m³", "2000 l", "right"),
    ("en", 1, "cm²", "100 mm²", "right"),
]


@pytest.mark.parametrize(("language", "value", "unit", "given", "verdict"), NUMBERS)
def test_numbers(language: str, value: float, unit: str, given: str, verdict: str) -> None:
    question = Asked("number", {"value": value, "unit": unit, "tolerance": 0.02}, prompt="How much?")
    assert graded(question, given, language).verdict == verdict


def test_a_missing_unit_is_right_where_the_question_names_it() -> None:
    question = Asked("number", {"value": 5, "unit": "km", "tolerance": 0}, prompt="How many km are it?")
    assert graded(question, "5").feedback == "Right. With its unit: 5 km. [1][2]"


def test_what_is_no_number_has_no_value() -> None:
    for text in ("", "many", "km", "1/0", "1e999999", "."):
        assert parse_quantity(text) is None, text
    assert parse_unit("people") is parse_unit("m//s") is None


def test_without_a_citation_nothing_is_cited() -> None:
    result = graded(Asked("single", {"correct": 0}, ["a", "b"], explanation="No source."), 1)
    assert (result.feedback, result.cited) == ("Not right. The answer is “a”.", ())
