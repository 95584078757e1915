"""Questions that rules make: one test a kind, and the other languages."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from learning.material import ConceptText, DraftQuestion, QuestionKind
from learning.questions.checking.giveaways import right_options
from learning.questions.make import make_questions
from learning.questions.rules.sentences import (
    ask_about_tables,
    ask_for_numbers,
    ask_for_order,
    ask_for_own_words,
    ask_for_pairs,
    ask_for_terms,
    ask_which_is_true,
    ask_why,
    ask_with_gap,
)
from learning.questions.sources import ConceptSources
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
    concept,
    osmosis,
)


def of_kind(kind: QuestionKind, own: ConceptText, others: Sequence[ConceptText], language: str) -> DraftQuestion:
    made = make_questions(own, others, language=language, count=12, seed=1)
    return next(one for one in made.questions if one.kind == kind)


def read(text: str, name: str, *others: ConceptText, definition: str = "", language: str = "en") -> ConceptSources:
    return ConceptSources(concept(name, definition, text), others, language)


def test_single_choice_asks_for_the_term_of_a_meaning() -> None:
    (question,) = next(ask_for_terms(osmosis(), Random(1)))
    assert question.prompt == (
        "Which term fits this description: “the movement of water through a membrane toward the side with more solute”?"
    )
    assert right_options(question) == ["Osmosis"]
    assert len(question.options) == 4
    assert question.explanation.endswith("[1]")


def test_single_choice_asks_for_the_meaning_of_a_term() -> None:
    (question,) = next(one for one in ask_for_terms(osmosis(), Random(1)) if "What is meant by" in one[0].prompt)
    assert right_options(question) == ["The movement of water through a membrane toward the side with more solute"]


def test_meanings_that_differ_by_an_opposite_are_wrong_options() -> None:
    proper = "A proper fraction is a fraction whose numerator is smaller than its denominator."
    improper = concept("improper fraction", proper.replace("proper", "improper").replace("smaller", "larger"))
    sources = read(proper, "proper fraction", improper, *OTHERS, definition=proper)
    prompts = {option for (one,) in ask_for_terms(sources, Random(1)) for option in one.options}
    assert "Improper fraction" in prompts


def test_cloze_blanks_the_term_of_a_definition() -> None:
    (question,) = next(ask_with_gap(osmosis(), Random(1)))
    assert question.prompt == "____ is the movement of water through a membrane toward the side with more solute."
    assert question.answer["accepted"] == ["Osmosis", "osmosis"]


def test_cloze_hides_the_article() -> None:
    ((question,), *_) = ask_with_gap(ConceptSources(OTHERS[5], (), "en"), Random(1))
    assert question.prompt.startswith("A/an ____ is a sac")


def test_a_definition_goes_with_the_sentence_on_which_it_leans() -> None:
    text = "Particles spread to places where there are few. This is called diffusion."
    ((question,),) = ask_with_gap(read(text, "diffusion", definition=text), Random(1))
    assert question.prompt == "Particles spread to places where there are few. This is called ____."


def test_number_asks_for_the_value_with_its_unit() -> None:
    (question,) = next(ask_for_numbers(ConceptSources(BOILING, (), "en"), Random(1)))
    assert question.prompt == "The boiling point of pure water at sea level is ____ °C."
    assert question.answer == {"value": 100.0, "unit": "°C", "tolerance": 0.02}


def test_truth_comes_in_pairs_with_one_word_exchanged() -> None:
    pair = next(pair for pair in ask_which_is_true(osmosis(), Random(1)) if "pressure" in pair[0].prompt)
    assert {one.prompt: one.answer["value"] for one in pair} == {
        "Osmosis increases the pressure on the side with more solute.": True,
        "Osmosis decreases the pressure on the side with more solute.": False,
    }


@pytest.mark.parametrize(
    ("text", "name", "language", "prompt"),
    [
        ("Muscle cells have many mitochondria because they need energy.", "mitochondria", "en", "Muscle cells have"),
        ("An den Polen ist das Klima kalt, weil die Sonne dort flach steht.", "Klima", "de", "An den Polen ist"),
        (
            "Le tiers état est mécontent parce qu'il paie les impôts.",
            "tiers état",
            "fr",
            "Le tiers état est mécontent.",
        ),
        ("Un tercio y un medio no son fracciones iguales porque no valen lo mismo.", "fracción", "es", "Un tercio y"),
    ],
)
def test_why_is_asked_wherever_the_concept_stands(text: str, name: str, language: str, prompt: str) -> None:
    ((question,),) = ask_why(read(text, name, language=language), Random(1))
    assert prompt in question.prompt
    assert question.kind == QuestionKind.SHORT
    assert question.answer == {"reference": text}


def test_a_name_within_a_longer_one_is_not_the_concept() -> None:
    text = "The cell wall is stiff because it is made of cellulose."
    assert list(ask_why(read(text, "cell"), Random(1)))
    assert not list(ask_why(read(text, "cell", concept("cell wall", text)), Random(1)))


def test_order_takes_numbered_steps() -> None:
    (question,) = next(ask_for_order(ConceptSources(FILTERING, (), "en"), Random(1)))
    steps = [question.options[index] for index in question.answer["order"]]
    assert steps[0] == "Fold the filter paper into a cone."
    assert steps[-1] == "Rinse the residue with clean water."
    assert list(question.options) != steps


STEPS = "1. Peel off a thin layer.\n2. Put it into a drop of water.\n3. Lower a cover slip onto it.\n"


@pytest.mark.parametrize(
    ("line", "is_asked"),
    [
        ("To prepare an onion cell for the microscope:", True),
        ("What happens when a cell dries out?", True),
        ("Three things about a cell:", False),
    ],
)
def test_the_line_above_says_whether_a_list_has_an_order(line: str, is_asked: bool) -> None:
    assert bool(list(ask_for_order(read(f"{line}\n\n{STEPS}", "cell"), Random(1)))) is is_asked


TABLE = (
    "| Zone | Plants | Warm |\n| --- | --- | --- |\n| Tropics | rainforest | yes |\n| Subtropics | shrubs | yes |\n"
    "| Polar zone | mosses | no |\n"
)


def test_a_table_asks_what_belongs_to_the_concept_and_what_belongs_together() -> None:
    (single,), (match,) = ask_about_tables(read(TABLE, "tropics"), Random(1))
    assert single.prompt == "To which of these does it belong? “Plants: rainforest”"
    assert right_options(single) == ["Tropics"]
    assert single.explanation == "Zone: Tropics · Plants: rainforest · Warm: yes [1]"
    pairs = {one: match.targets[to] for one, to in zip(match.options, match.answer["pairs"], strict=True)}
    assert pairs == {"Tropics": "rainforest", "Subtropics": "shrubs", "Polar zone": "mosses"}
    assert match.prompt == "What belongs together? Zone – Plants"
    assert not list(ask_about_tables(read(TABLE, "erosion"), Random(1)))


def test_match_pairs_terms_with_their_meanings() -> None:
    (question,) = next(ask_for_pairs(osmosis(), Random(1)))
    pairs = {one: question.targets[to] for one, to in zip(question.options, question.answer["pairs"], strict=True)}
    assert pairs["Vacuole"] == "A sac in a plant cell that stores water and dissolved waste"
    assert set(pairs) == {"Osmosis", "Turgor", "Vacuole"}
    assert question.sources == (1, 2)


def test_short_answers_ask_for_own_words() -> None:
    assert [one.prompt for (one,) in ask_for_own_words(osmosis(), Random(1))] == [
        "Explain in your own words what is meant by “osmosis”."
    ]


def test_a_sentence_is_asked_about_in_at_most_two_forms() -> None:
    made = make_questions(OSMOSIS, OTHERS, language="en", count=30, seed=1).questions
    sentences = Counter(one.explanation for one in made if one.kind != QuestionKind.MATCH)
    assert max(sentences.values()) == 2
    asked = [(one.prompt, one.explanation) for one in made]
    again = make_questions(OSMOSIS, OTHERS, language="en", count=30, seed=2, asked=asked).questions
    assert not {one.prompt for one in again} & {one.prompt for one in made}


def test_questions_in_german() -> None:
    single = of_kind(QuestionKind.SINGLE, DRUCK, ANDERE, "de")
    assert single.prompt.startswith("Welcher Begriff passt zu dieser Beschreibung: „die senkrechte Kraft je Einheit")
    assert of_kind(QuestionKind.NUMBER, DRUCK, ANDERE, "de").answer["value"] == 1013.0
    assert "steigt mit der Tiefe" in of_kind(QuestionKind.TRUTH, DRUCK, ANDERE, "de").answer["reason"]


def test_questions_in_french() -> None:
    (cloze,) = next(ask_with_gap(ConceptSources(VITESSE, AUTRES, "fr"), Random(1)))
    assert cloze.prompt == "La ____ est le rapport entre la distance parcourue et la durée du parcours."
    assert right_options(of_kind(QuestionKind.SINGLE, VITESSE, AUTRES, "fr")) in (
        ["Vitesse"],
        ["Le rapport entre la distance parcourue et la durée du parcours"],
    )


def test_questions_in_spanish() -> None:
    assert of_kind(QuestionKind.SHORT, CELULA, OTRAS, "es").prompt == (
        "Explica con tus propias palabras qué significa «célula»."
    )
    (cloze,) = next(ask_with_gap(ConceptSources(CELULA, OTRAS, "es"), Random(1)))
    assert cloze.answer["accepted"] == ["célula"]


def test_the_same_seed_makes_the_same_questions() -> None:
    def made(seed: int) -> tuple[DraftQuestion, ...]:
        return make_questions(OSMOSIS, OTHERS, language="en", seed=seed).questions

    assert made(1) == made(1)
    assert {one.prompt for one in made(1)} != {one.prompt for one in made(7)} or made(1) != made(7)


def test_there_are_never_more_than_asked_for_and_kinds_vary() -> None:
    made = make_questions(OSMOSIS, OTHERS, language="en", count=4, seed=1).questions
    assert len(made) == 4
    assert len({one.kind for one in made}) >= 3


@pytest.mark.parametrize("text", ["", "Short.", "| a | b |\n| --- | --- |\n| 1 | 2 |", "What is osmosis?\n\n- Water\n"])
def test_poor_passages_make_no_question(text: str) -> None:
    poor = ConceptText("osmosis", "", (OSMOSIS.passages[0].__class__(1, "", (), text, text),))
    assert make_questions(poor, OTHERS, language="en", seed=1).questions == ()
