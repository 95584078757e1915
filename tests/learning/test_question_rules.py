"""Questions that rules make: one test a kind, and the other languages."""

from collections.abc import Sequence
from random import Random

import pytest

from learning.material import ConceptText, DraftQuestion, QuestionKind
from learning.questions.checking.answers import right_options
from learning.questions.make import make_questions
from learning.questions.rules.choice import several_choices, single_choice
from learning.questions.rules.gaps import clozes, numbers
from learning.questions.rules.lists import matches, orders
from learning.questions.rules.short import short_answers
from learning.questions.rules.truth import truths
from learning.questions.text.sources import ConceptSources
from tests.learning.question_texts import (
    ANDERE,
    AUTRES,
    BOILING,
    CELULA,
    DRUCK,
    FILTERING,
    OSMOSIS,
    OTHERS,
    OTRAS,
    VITESSE,
    osmosis,
)


def of_kind(kind: QuestionKind, concept: ConceptText, others: Sequence[ConceptText], language: str) -> DraftQuestion:
    made = make_questions(concept, others, language=language, llm=None, count=12, seed=1)
    return next(one for one in made.questions if one.kind == kind)


def test_single_choice_asks_for_the_term_of_a_meaning() -> None:
    question = next(single_choice(osmosis(), Random(1)))
    assert question.prompt == (
        "Which term fits this description: “the movement of water through a membrane toward the side with more solute”?"
    )
    assert right_options(question) == ["Osmosis"]
    assert len(question.options) == 4
    assert question.explanation.endswith("[1]")


def test_single_choice_asks_for_the_meaning_of_a_term() -> None:
    question = next(one for one in single_choice(osmosis(), Random(1)) if "What is meant by" in one.prompt)
    assert right_options(question) == ["The movement of water through a membrane toward the side with more solute"]


def test_several_choices_mix_sentences_with_meanings_of_other_terms() -> None:
    question = next(several_choices(osmosis(), Random(1)))
    right = right_options(question)
    assert 2 <= len(right) <= 3
    assert all(option in OSMOSIS.passages[0].text.replace("*", "") + OSMOSIS.passages[1].text for option in right)
    assert len(question.options) - len(right) == 2


def test_cloze_blanks_the_term_of_a_definition() -> None:
    question = next(clozes(osmosis(), Random(1)))
    assert question.prompt == "____ is the movement of water through a membrane toward the side with more solute."
    assert question.answer["accepted"] == ["Osmosis", "osmosis"]


def test_cloze_hides_the_article() -> None:
    vacuole = ConceptSources(OTHERS[5], (), "en")
    assert next(clozes(vacuole, Random(1))).prompt.startswith("A/an ____ is a sac")


def test_number_asks_for_the_value_with_its_unit() -> None:
    question = next(numbers(ConceptSources(BOILING, (), "en"), Random(1)))
    assert question.prompt == "The boiling point of pure water at sea level is ____ °C."
    assert question.answer == {"value": 100.0, "unit": "°C", "tolerance": 0.02}


def test_truth_exchanges_a_word_a_number_or_a_meaning() -> None:
    false = [one for one in truths(osmosis(), Random(1)) if not one.answer["value"]]
    assert any(one.prompt.startswith("Osmosis decreases the pressure") for one in false)
    assert any(one.prompt.startswith("Osmosis is the ") for one in false)
    number = [one for one in truths(ConceptSources(BOILING, (), "en"), Random(1)) if not one.answer["value"]]
    assert number[0].answer["reason"] == "The boiling point of pure water at sea level is 100 °C."
    assert "100" not in number[0].prompt.split("is ")[1].split(" ")[0] or "1000" in number[0].prompt


def test_order_takes_numbered_steps() -> None:
    question = next(orders(ConceptSources(FILTERING, (), "en"), Random(1)))
    steps = [question.options[index] for index in question.answer["order"]]
    assert steps[0] == "Fold the filter paper into a cone."
    assert steps[-1] == "Rinse the residue with clean water."
    assert list(question.options) != steps


def test_order_takes_sentences_that_begin_with_first_then_finally() -> None:
    text = "First, weigh the empty beaker. Then pour the oil into the beaker. Finally, weigh the full beaker again."
    told = ConceptText("oil", text, (FILTERING.passages[0].__class__(1, "Lab", (), text, text),))
    question = next(orders(ConceptSources(told, (), "en"), Random(1)))
    assert [question.options[index] for index in question.answer["order"]] == [
        "Weigh the empty beaker.",
        "Pour the oil into the beaker.",
        "Weigh the full beaker again.",
    ]


def test_a_numbered_list_without_an_order_is_no_sequence() -> None:
    text = "Three metals:\n\n1. Copper is red and soft.\n2. Iron rusts in moist air.\n3. Gold never rusts at all.\n"
    metals = ConceptText("metal", text, (FILTERING.passages[0].__class__(1, "Metals", ("Metals",), text, text),))
    assert not list(orders(ConceptSources(metals, (), "en"), Random(1)))


def test_match_pairs_terms_with_their_meanings() -> None:
    question = next(matches(osmosis(), Random(1)))
    pairs = {one: question.targets[to] for one, to in zip(question.options, question.answer["pairs"], strict=True)}
    assert pairs["Vacuole"] == "A sac in a plant cell that stores water and dissolved waste"
    assert set(pairs) == {"Osmosis", "Turgor", "Vacuole"}
    assert question.sources == (1, 2)


def test_short_answers_ask_why_and_what() -> None:
    prompts = [one.prompt for one in short_answers(osmosis(), Random(1))]
    assert prompts == [
        "Why is this so? Osmosis needs no energy from the cell.",
        "Explain in your own words what is meant by “osmosis”.",
    ]


def test_questions_in_german() -> None:
    single = of_kind(QuestionKind.SINGLE, DRUCK, ANDERE, "de")
    assert single.prompt.startswith("Welcher Begriff passt zu dieser Beschreibung: „die senkrechte Kraft je Einheit")
    assert of_kind(QuestionKind.NUMBER, DRUCK, ANDERE, "de").answer["value"] == 1013.0
    false = of_kind(QuestionKind.TRUTH, DRUCK, ANDERE, "de")
    assert false.answer["reason"].startswith("Der Druck")


def test_questions_in_french() -> None:
    assert of_kind(QuestionKind.CLOZE, VITESSE, AUTRES, "fr").prompt == (
        "La ____ est le rapport entre la distance parcourue et la durée du parcours."
    )
    assert right_options(of_kind(QuestionKind.SINGLE, VITESSE, AUTRES, "fr")) in (
        ["Vitesse"],
        ["Le rapport entre la distance parcourue et la durée du parcours"],
    )


def test_questions_in_spanish() -> None:
    assert of_kind(QuestionKind.SHORT, CELULA, OTRAS, "es").prompt == (
        "Explica con tus propias palabras qué significa «célula»."
    )
    assert of_kind(QuestionKind.CLOZE, CELULA, OTRAS, "es").answer["accepted"] == ["célula"]


def test_the_same_seed_makes_the_same_questions() -> None:
    def made(seed: int) -> tuple[DraftQuestion, ...]:
        return make_questions(OSMOSIS, OTHERS, language="en", llm=None, seed=seed).questions

    assert made(1) == made(1)
    assert {one.prompt for one in made(1)} != {one.prompt for one in made(7)} or made(1) != made(7)


def test_there_are_never_more_than_asked_for_and_kinds_vary() -> None:
    made = make_questions(OSMOSIS, OTHERS, language="en", llm=None, count=4, seed=1).questions
    assert len(made) == 4
    assert len({one.kind for one in made}) == 4


@pytest.mark.parametrize("text", ["", "Short.", "| a | b |\n| --- | --- |\n| 1 | 2 |", "What is osmosis?\n\n- Water\n"])
def test_poor_passages_make_no_question(text: str) -> None:
    poor = ConceptText("osmosis", "", (OSMOSIS.passages[0].__class__(1, "", (), text, text),))
    assert make_questions(poor, OTHERS, language="en", llm=None, seed=1).questions == ()


def test_a_proper_name_is_not_asked_for_by_a_class_of_things() -> None:
    text = "Victoria is a state in the south-east of Australia. Gold was found in Victoria in the hills near the sea."
    state = ConceptText("Victoria", text, (OSMOSIS.passages[0].__class__(1, "", (), text, text),))
    kinds = {one.kind for one in make_questions(state, OTHERS, language="en", llm=None, seed=1).questions}
    assert kinds <= {QuestionKind.TRUTH}
