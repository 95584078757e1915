"""Questions about facts: years and quantities, with wrong answers of the same type (G4)."""

from __future__ import annotations

from random import Random

import pytest

from learning.material import ConceptText, DraftQuestion, QuestionKind
from learning.questions.checking.checks import Checker
from learning.questions.rules.facts import fact_choices, fact_clozes, fact_numbers, fact_truths
from learning.questions.text.facts import QUANTITY, YEAR, find_facts, make_similar_facts
from learning.questions.text.sources import ConceptSources
from tests.learning.question_texts import passage

CANAL = """The Wend Navigation was opened by an Act of 1721 after a long quarrel with the millers of Kelbourne. The Wend
Navigation carried coal to Kelbourne in flat boats for more than a century. In 1795 a flood destroyed three locks of the
Wend Navigation near Marle. A boat on the Wend Navigation carried 24 tons of coal behind a single horse. The old locks
of the Wend Navigation were repaired by John Harker after the flood."""
RAILWAY = """The railway reached Kelbourne from Aldermoor in 1848 and took the coal trade away. The station at Aldermoor
was designed by Mary Lisle and burnt down in 1802. The bridge was built by Thomas Reeve near Saint Osyth."""


def canal(text: str = CANAL, name: str = "Wend Navigation") -> ConceptSources:
    other = ConceptText("Railway", "The railway reached Kelbourne from Aldermoor in 1848.", (passage(1, RAILWAY),))
    return ConceptSources(ConceptText(name, text.split(". ")[0] + ".", (passage(1, text),)), [other], "en")


def facts(sources: ConceptSources) -> dict[str, str]:
    return {fact.written: fact.type for fact in find_facts(sources)}


def test_years_and_quantities_are_facts() -> None:
    assert facts(canal()) == {"1721": YEAR, "1795": YEAR, "24": QUANTITY}


@pytest.mark.parametrize(
    "sentence",
    [
        "If the Wend Navigation had been opened in 1721, the millers of Kelbourne would have lost their water.",
        'A pupil of Kelbourne wrote "the Wend Navigation was opened in 1721 by the king" in an essay.',
        "The enquiry on the Wend Navigation is due in the school office of Kelbourne in March 2027.",
        "In 1721 it was opened after a quarrel with the millers of the Wend Navigation and the town of Kelbourne.",
        "More than 24 boats of the Wend Navigation and over 80 horses of Kelbourne carried coal in about 1790.",
        "The Wend Navigation was opened in 1721, closed in 1931 and opened again in 1974 for boats of Kelbourne.",
    ],
)
def test_cases_claims_dates_of_the_school_year_and_several_years_are_none(sentence: str) -> None:
    assert YEAR not in facts(canal(sentence)).values()


def test_a_sentence_about_something_else_is_no_fact_of_the_concept() -> None:
    sources = ConceptSources(
        ConceptText(
            "Lock", "A lock is a chamber with gates.", (passage(1, "A lock is a chamber."), passage(2, RAILWAY))
        ),
        [],
        "en",
    )
    assert find_facts(sources) == []


def test_wrong_years_come_from_the_plan_and_are_not_the_right_one() -> None:
    sources = canal()
    year = next(fact for fact in find_facts(sources) if fact.written == "1795")
    wrong = make_similar_facts(year, sources, Random(1))
    assert len(set(wrong)) == 3 and "1795" not in wrong
    assert {"1802", "1848"} <= set(wrong)


def test_each_question_passes_the_checks_and_its_answer_is_the_sources() -> None:
    sources = canal()
    checker = Checker(sources)
    made: list[DraftQuestion] = []
    for rule in (fact_choices, fact_clozes, fact_numbers, fact_truths):
        made += [one for one in rule(sources, Random(3)) if checker.problem(one) is None]
    kinds = {one.kind for one in made}
    assert {QuestionKind.SINGLE, QuestionKind.CLOZE, QuestionKind.NUMBER, QuestionKind.TRUTH} <= kinds
    for one in made:
        if one.kind == QuestionKind.SINGLE:
            assert one.options[one.answer["correct"]] in CANAL
        if one.kind == QuestionKind.NUMBER:
            assert (one.answer["value"], one.answer["unit"]) == (24.0, "tons")
        if one.kind == QuestionKind.TRUTH:
            flat = " ".join(CANAL.split())
            assert (one.prompt in flat) is one.answer["value"] and one.answer["reason"] in flat


def test_german_has_facts_too() -> None:
    text = "Die Eisenbahn erreichte im Jahr 1848 die Stadt Kelbourne und nahm dem Kanal den Handel mit Kohle weg."
    sources = ConceptSources(ConceptText("Eisenbahn", text, (passage(1, text),)), [], "de")
    assert facts(sources) == {"1848": YEAR}
