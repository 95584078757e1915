"""What a tutor says of a learner's statement: nothing untrue is called right, and nothing true wrong."""

from __future__ import annotations

import pytest

from learning.reading.statements import Statement
from learning.tutoring.answerer import compare

WALLS = "The walls of arteries are thicker than the walls of veins."
ARTERIES = "Arteries are blood vessels that carry blood away from the heart."
VEINS = "Veins are blood vessels that carry blood back to the heart."
RIGHT_SIDE = "The right ventricle pumps blood into the lungs."
PULSE = "Before exercise the pulse is slow; after exercise the pulse is fast."
PLASMA = "Plasma is the liquid part of the blood and does not contain cells."
CELLS = "Red blood cells carry oxygen and white blood cells fight infections."
RATE = "The heart of an adult beats about 70 times a minute."
HERZ = "Das Herz hat vier Kammern: zwei Vorhöfe und zwei Hauptkammern."
SPEED = "Fast water erodes more than slow water, because it carries larger stones."


def judge(claim: str, text: str, language: str = "en", *, before: str = "", is_answer: bool = False) -> str:
    return compare(claim, Statement(text, 1, text, before), language, is_answer=is_answer)


@pytest.mark.parametrize(
    ("claim", "text", "language"),
    [
        (WALLS, WALLS, "en"),
        (PULSE, PULSE, "en"),
        ("arteries carry blood away from the heart", ARTERIES, "en"),
        ("the heart beats about 70 times a minute", RATE, "en"),
        ("Plasma doesn't contain any cells", "Plasma does not contain any cells.", "en"),
        ("das Herz hat vier Kammern", HERZ, "de"),
    ],
)
def test_what_a_sentence_says_is_right(claim: str, text: str, language: str) -> None:
    assert judge(claim, text, language) == "right"


@pytest.mark.parametrize(
    ("claim", "text", "language"),
    [
        ("arteries don't carry blood away from the heart", ARTERIES, "en"),
        ("arteries have valves", "No arteries have valves.", "en"),
        ("the heart beats about 700 times a minute", RATE, "en"),
        ("fast water erodes less than slow water", SPEED, "en"),
        ("das Herz hat keine vier Kammern", HERZ, "de"),
    ],
)
def test_another_number_an_opposite_or_a_negation_is_wrong(claim: str, text: str, language: str) -> None:
    assert judge(claim, text, language) == "wrong"


@pytest.mark.parametrize(
    ("claim", "text", "language"),
    [
        ("the walls of veins are thicker than the walls of arteries", WALLS, "en"),
        ("veins carry blood away from the heart", VEINS, "en"),
        ("all veins have valves", "Some veins have valves.", "en"),
        ("the right ventricle pumps blood into the aorta", RIGHT_SIDE, "en"),
        ("narrow arteries cause smoking", "Smoking causes narrow arteries.", "en"),
        ("red blood cells fight infections", CELLS, "en"),
        ("red blood cells carry oxygen and fight infections", CELLS, "en"),
        ("in old times men cooked", "In old times men hunted, women cooked.", "en"),
        ("before exercise the pulse is fast", PULSE, "en"),
        ("it is wrong that arteries carry blood away from the heart", ARTERIES, "en"),
        ("the sun moves around the earth", "People believed that the sun moves around the earth.", "en"),
        ("Mäuse jagen Katzen", "Katzen jagen Mäuse.", "de"),
        ("alle Venen haben Klappen", "Manche Venen haben Klappen.", "de"),
    ],
)
def test_what_has_only_the_words_of_a_sentence_is_not_right(claim: str, text: str, language: str) -> None:
    assert judge(claim, text, language) == ""


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("plasma is the liquid part of the blood", PLASMA),
        ("arteries do not carry blood back to the heart", ARTERIES),
        ("the heart of a child beats about 90 times a minute", RATE),
        (
            "the heart beats 90 times a minute",
            "The heart beats 70 times a minute at rest and 90 times a minute in sport.",
        ),
        ("slow water erodes less than fast water", SPEED),
    ],
)
def test_what_may_be_true_is_not_wrong(claim: str, text: str) -> None:
    assert judge(claim, text) == ""


def test_a_pronoun_stands_for_what_the_sentence_before_speaks_of() -> None:
    before, text = "Attrition is the wearing down of stones.", "It makes them smaller and rounder."
    assert judge("Attrition makes stones smaller and rounder", text, before=before) == "right"
    assert judge("Stones make attrition smaller and rounder", text, before=before) == ""


def test_an_answer_may_be_a_part_of_the_sentence() -> None:
    assert judge("They carry blood away from the heart", ARTERIES, is_answer=True) == "right"
    assert judge("into the lungs", RIGHT_SIDE, is_answer=True) == "right"
    assert judge("into the lungs", RIGHT_SIDE) == ""
    assert judge("not into the lungs", RIGHT_SIDE, is_answer=True) == "wrong"
    two = "Adults have 70 beats a minute, children have 90 beats a minute."
    assert judge("90 beats a minute", two, is_answer=True) == "right"
    assert judge("80 beats a minute", two, is_answer=True) == "wrong"
