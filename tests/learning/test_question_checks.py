"""Each check, with a question that fails it and one that passes."""

from dataclasses import replace
from typing import Any

import pytest

from learning.material import DraftQuestion, QuestionKind
from learning.questions.checking.checks import Checker, DropReason
from learning.questions.sources import ConceptSources
from tests.learning.question_texts import BOILING, FILTERING, concept, osmosis

EXPLANATION = "Osmosis is the movement of water through a membrane toward the side with more solute. [1]"
GOOD = DraftQuestion(
    QuestionKind.SINGLE,
    "What moves through a membrane toward the side with more solute?",
    {"correct": 0},
    EXPLANATION,
    (1,),
    ("Water", "Sugar", "Light"),
)
CLOZE = DraftQuestion(
    QuestionKind.CLOZE,
    "____ is the movement of water through a membrane toward the side with more solute.",
    {"accepted": ["Osmosis"]},
    EXPLANATION,
    (1,),
)
TRUTH = DraftQuestion(
    QuestionKind.TRUTH,
    "Osmosis decreases the pressure on the side with more solute.",
    {"value": False, "reason": "Osmosis increases the pressure on the side with more solute."},
    "Osmosis increases the pressure on the side with more solute. [1]",
    (1,),
)


def check(checker: Checker, question: DraftQuestion) -> DropReason | None:
    """What is wrong with a question that a language model made."""
    return checker.problem(replace(question, made_by="Scripted model"))


def problem(question: DraftQuestion, **changes: Any) -> DropReason | None:
    return check(Checker(osmosis()), replace(question, **changes))


@pytest.mark.parametrize("question", [GOOD, CLOZE, TRUTH])
def test_good_questions_pass(question: DraftQuestion) -> None:
    assert problem(question) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": {"correct": 3}},
        {"answer": {"correct": True}},
        {"answer": {}},
        {"options": ("Water", "Sugar")},
        {"options": ("Water", "water", "Light")},
        {"sources": ()},
        {"sources": (9,)},
        {"prompt": " "},
    ],
)
def test_malformed(changes: dict[str, Any]) -> None:
    assert problem(GOOD, **changes) is DropReason.MALFORMED


def test_the_answer_stands_in_the_source() -> None:
    assert problem(GOOD, options=("Starch", "Sugar", "Light")) is DropReason.NOT_IN_SOURCE
    assert problem(TRUTH, answer={"value": False, "reason": "Osmosis was discovered by monks in 1748."}) is (
        DropReason.NOT_IN_SOURCE
    )


def test_no_wrong_option_is_right() -> None:
    other = ("Sugar", "Water", "Starch")
    assert problem(GOOD, options=other, answer={"correct": 0}) is DropReason.NOT_IN_SOURCE
    several = DraftQuestion(
        QuestionKind.SEVERAL,
        "Which of these statements about osmosis are true?",
        {"correct": [0]},
        "Osmosis increases the pressure on the side with more solute. [1] "
        "Osmosis keeps the cells of a leaf firm in moist soil. [2]",
        (1, 2),
        (
            "Osmosis increases the pressure on the side with more solute.",
            "Osmosis keeps the cells of a leaf firm in moist soil.",
            "Osmosis is the spread of particles from a crowded region.",
        ),
    )
    assert problem(several) is DropReason.WRONG_IN_SOURCE
    assert problem(several, answer={"correct": [0, 1]}) is None


def test_a_false_statement_is_not_true_after_all() -> None:
    said = "Osmosis increases the pressure on the side with more solute."
    assert problem(TRUTH, prompt=said) is DropReason.WRONG_IN_SOURCE


@pytest.mark.parametrize("option", ["Waters", "Clean water"])
def test_no_two_options_mean_the_same(option: str) -> None:
    assert problem(GOOD, options=("Water", option, "Light")) is DropReason.OPTIONS_ALIKE


@pytest.mark.parametrize(
    "changes",
    [
        {"prompt": "Which water moves through a membrane toward the side with more solute?"},
        {
            "prompt": "Toward the side with more solute, what moves through a membrane? It is a",
            "options": ("Water", "Ion", "Acid"),
        },
        {"options": ("Water that moves through a membrane toward the side with more solute", "Sugar", "Light")},
    ],
)
def test_the_question_does_not_give_itself_away(changes: dict[str, Any]) -> None:
    assert problem(GOOD, **changes) is DropReason.GIVES_AWAY


def test_a_cloze_does_not_hold_its_answer() -> None:
    said = "____ is the movement of water through a membrane, and osmosis needs no energy."
    assert problem(CLOZE, prompt=said) is DropReason.GIVES_AWAY
    initials = "____ (WM) is the movement of water through a membrane."
    assert problem(CLOZE, prompt=initials, answer={"accepted": ["Wet motion"]}) is DropReason.GIVES_AWAY


@pytest.mark.parametrize(
    "prompt", ["What moves through the membrane in Figure 2?", "According to the text above, what moves?"]
)
def test_the_question_is_understood_without_the_text(prompt: str) -> None:
    assert problem(GOOD, prompt=prompt) is DropReason.NOT_ALONE


def test_a_cloze_is_a_sentence_of_its_own() -> None:
    assert problem(CLOZE, prompt="This ____ moves through it.") is DropReason.NOT_ALONE


def test_the_gap_fits_one_term_of_the_plan() -> None:
    said = "____ is the spread of particles from a crowded region to an emptier region."
    assert problem(CLOZE, prompt=said) is DropReason.GAP_AMBIGUOUS


@pytest.mark.parametrize(
    "explanation",
    [
        "Osmosis is the movement of water.",
        "Osmosis was named by a French priest in the year 1748. [1]",
        "Osmosis is the movement of water. [7]",
        "Osmosis is the movement of water. [1] That is all there is to say.",
        "Osmosis lets water move through a membrane. [1]",
    ],
)
def test_the_explanation_quotes_the_sources_that_it_cites(explanation: str) -> None:
    assert problem(GOOD, explanation=explanation) is DropReason.EXPLANATION


def test_the_explanation_says_the_answer() -> None:
    said = "Osmosis needs no energy from the cell because water follows its gradient. [1]"
    assert problem(GOOD, explanation=said) is DropReason.NOT_IN_SOURCE


def test_a_number_is_not_in_its_prompt() -> None:
    number = DraftQuestion(
        QuestionKind.NUMBER,
        "How many sides, 2 or 3, does a membrane have?",
        {"value": 2.0, "unit": "", "tolerance": 0.0},
        EXPLANATION,
        (1,),
    )
    assert problem(number) is DropReason.GIVES_AWAY


def test_a_negation_or_an_opposite_is_not_the_source() -> None:
    reason = "Osmosis needs energy from the cell because water follows its gradient."
    assert problem(TRUTH, answer={"value": False, "reason": reason}) is DropReason.NOT_IN_SOURCE
    opposite = "Osmosis decreases the pressure on the side with much more solute."
    assert problem(TRUTH, prompt=opposite, answer={"value": True, "reason": opposite}) is DropReason.NOT_IN_SOURCE


def test_a_number_of_another_fact_is_not_the_answer() -> None:
    checker = Checker(ConceptSources(BOILING, (), "en"))
    number = DraftQuestion(
        QuestionKind.NUMBER,
        "What is the boiling point of pure water at sea level?",
        {"value": 100.0, "unit": "°C", "tolerance": 0.02},
        "The boiling point of pure water at sea level is 100 °C. [1]",
        (1,),
    )
    assert check(checker, number) is None
    other = replace(number, prompt="How many litres of ethanol evaporate in an hour?")
    assert check(checker, other) is DropReason.NOT_IN_SOURCE
    assert check(checker, replace(number, answer=dict(number.answer) | {"value": 90.0})) is DropReason.NOT_IN_SOURCE


@pytest.mark.parametrize(
    ("statement", "problem_found"),
    [
        ("Static friction acts on a body at rest relative to the ground.", None),
        ("Kinetic friction acts on a body at rest relative to the ground.", DropReason.NOT_IN_SOURCE),
    ],
)
def test_words_of_two_clauses_are_not_mixed(statement: str, problem_found: DropReason | None) -> None:
    said = (
        "Kinetic friction acts on a body in relative motion on a plane, while static friction acts on a body at rest "
        "relative to the ground."
    )
    sources = ConceptSources(concept("friction", said), (), "en")
    explanation = f"{said} [1]"
    truth = DraftQuestion(QuestionKind.TRUTH, statement, {"value": True, "reason": statement}, explanation, (1,))
    cloze = DraftQuestion(
        QuestionKind.CLOZE,
        statement.replace(statement.split()[0], "____"),
        {"accepted": [statement.split()[0]]},
        explanation,
        (1,),
    )
    assert check(Checker(sources), truth) is problem_found
    assert check(Checker(sources), cloze) is problem_found


def test_a_meaning_belongs_to_its_own_term() -> None:
    said = "Conduction is heat transfer through direct contact. Radiation is heat transfer by light waves in space."
    checker = Checker(ConceptSources(concept("conduction", said), (), "en"))
    question = DraftQuestion(
        QuestionKind.SINGLE,
        "What is meant by conduction?",
        {"correct": 0},
        "Conduction is heat transfer through direct contact. [1]",
        (1,),
        (
            "Heat transfer through direct contact",
            "Heat transfer by light waves in space",
            "Heat storage inside a thick blanket of wool",
        ),
    )
    assert check(checker, question) is None
    assert check(checker, replace(question, answer={"correct": 1})) is DropReason.NOT_IN_SOURCE


def test_steps_stand_in_their_order() -> None:
    checker = Checker(ConceptSources(FILTERING, (), "en"))
    steps = (
        "Fold the filter paper into a cone.",
        "Put the paper into the funnel.",
        "Rinse the residue with clean water.",
    )
    explanation = " ".join(f"{step} [1]" for step in steps)
    order = DraftQuestion(QuestionKind.ORDER, "Order the steps.", {"order": [0, 1, 2]}, explanation, (1,), steps)
    assert check(checker, order) is None
    assert check(checker, replace(order, answer={"order": [1, 0, 2]})) is DropReason.NOT_IN_SOURCE
