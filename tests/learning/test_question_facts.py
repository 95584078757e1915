"""Which concepts get no questions."""

from learning.questions.make import make_questions
from tests.learning.question_texts import OTHERS, concept


def test_a_general_word_is_no_concept() -> None:
    result = concept("result", "The result is the amount of sugar that a leaf makes in an hour of full sunlight.")
    assert make_questions(result, OTHERS, language="en", llm=None, seed=1).questions == ()


def test_a_term_that_names_something_gets_questions() -> None:
    assert make_questions(OTHERS[5], OTHERS[:5], language="en", llm=None, seed=1).questions


def test_an_open_article_before_a_gap_passes_the_checks() -> None:
    made = make_questions(OTHERS[5], OTHERS[:5], language="en", llm=None, seed=1)
    assert any(one.prompt.startswith("A/an ____ is a sac") for one in made.questions)
