"""Progress of a learner, and the mistakes of all."""

from datetime import timedelta

import pytest

from chatbots.models import Participant
from learning.models import Attempt, Concept, Question
from learning.practice.answering import answer_question
from learning.practice.progress import choose_next_concepts, get_progress
from learning.practice.shown import describe_answer
from learning.practice.statistics import find_mistakes
from learning.questions.review import edit_question
from tests.factories import Cast
from tests.learning.practising import let_pass, make_concept, make_plan, make_question, without_account


def answer(learner: Participant, concept: Concept, *given: int) -> None:
    """Answers to a new question each."""
    for one in given:
        answer_question(question=make_question(concept), participant=learner, given=one)


def test_states_of_concepts(people: Cast) -> None:
    plan = make_plan(people.alice)
    learner = without_account(people.alice)
    due, weak, learning, known = (make_concept(plan, name) for name in ("due", "weak", "learning", "known"))
    new = make_concept(plan, "new", known)
    locked = make_concept(plan, "locked", weak, known)
    answer(learner, due, 0, 0)
    let_pass(learner, timedelta(days=90))
    answer(learner, weak, 1, 1)
    answer(learner, learning, 0)
    make_question(learning)
    answer(learner, known, 0, 0)
    states = get_progress(plan, learner)
    assert {one.concept.name: one.state for one in states} == {
        "due": "due", "weak": "weak", "learning": "learning", "known": "known", "new": "new", "locked": "new",
    }  # fmt: skip
    by_name = {one.concept: one for one in states}
    assert (by_name[new].ready, by_name[new].needs) == (True, [])
    assert (by_name[locked].ready, by_name[locked].needs) == (False, [weak])
    assert (by_name[new].retrievability, by_name[new].due_at) == (None, None)
    assert 0 < (by_name[due].retrievability or 0) < (by_name[known].retrievability or 0) <= 1
    assert (by_name[weak].attempts, by_name[weak].right) == (2, 0)
    assert choose_next_concepts(plan, learner) == [due, weak]


def test_what_comes_next(people: Cast) -> None:
    plan = make_plan(people.alice)
    learner = without_account(people.alice)
    acids = make_concept(plan, "Acids")
    salts = make_concept(plan, "Salts", acids)
    metals, empty = make_concept(plan, "Metals"), make_concept(plan, "Empty")
    for concept in (acids, acids, salts, metals):
        make_question(concept)
    assert choose_next_concepts(plan, learner) == [acids, metals]
    answer_question(question=acids.questions.all()[0], participant=learner, given=0)
    answer_question(question=acids.questions.all()[1], participant=learner, given=0)
    assert choose_next_concepts(plan, learner) == [salts, metals]
    let_pass(learner, timedelta(days=90))
    assert choose_next_concepts(plan, learner) == [acids, salts, metals]
    assert empty not in choose_next_concepts(plan, without_account(people.alice))


def test_a_removed_prerequisite_is_forgotten(people: Cast) -> None:
    plan = make_plan(people.alice)
    acids = make_concept(plan, "Acids")
    salts = make_concept(plan, "Salts", acids)
    make_question(acids)
    acids.removed_at = acids.created_at
    acids.save()
    (state,) = get_progress(plan, without_account(people.alice))
    assert (state.concept, state.ready) == (salts, True)


def test_progress_takes_few_queries(people: Cast, django_assert_max_num_queries: object) -> None:
    plan = make_plan(people.alice)
    before: list[Concept] = []
    for number in range(12):
        before = [make_concept(plan, f"Concept {number}", *before)]
    learner = without_account(people.alice)
    with django_assert_max_num_queries(4):  # type: ignore[operator]
        assert len(get_progress(plan, learner)) == 12


@pytest.fixture
def hard(people: Cast) -> Question:
    """A question that seven of eight learners got wrong, and one beside it that half of them did."""
    concept = make_concept(make_plan(people.alice), "Acids")
    hard, good = make_question(concept, prompt="hard"), make_question(concept, prompt="good")
    for number in range(8):
        learner = without_account(people.alice)
        answer_question(question=hard, participant=learner, given=0 if number == 0 else 1)
        answer_question(question=good, participant=learner, given=0 if number < 4 else 1)
    return hard


def mistakes(question: Question) -> dict[str, tuple[str, int]]:
    """The wrong option that is chosen often, and how often, by question."""
    attempts = Attempt.objects.filter(question__concept__plan=question.concept.plan)
    return {one.question.prompt: (one.option, one.times) for one in find_mistakes(attempts)}


def test_which_wrong_options_are_chosen_often(hard: Question) -> None:
    assert mistakes(hard) == {"hard": ("neutrons", 7), "good": ("neutrons", 4)}


def test_what_is_right_since_an_edit_is_no_mistake(hard: Question) -> None:
    question = hard
    question.answer = {"correct": 1}
    question.save()
    assert mistakes(question) == {"good": ("neutrons", 4)}


def change_options(question: Question, *options: str) -> str:
    """What is misunderstood once the teacher has changed the options."""
    edit_question(
        question=question,
        prompt=question.prompt,
        options=options,
        targets=[],
        answer={"correct": options.index("protons")},
        explanation="Acids give protons. [1]",
    )
    return mistakes(question).get("hard", ("", 0))[0]


def test_a_mistake_stays_with_its_option(hard: Question) -> None:
    question = hard
    assert question.options[:2] == ["protons", "neutrons"]
    assert change_options(question, "electrons", "neutrons too", "protons") == ""
    assert change_options(question, "electrons", "protons") == ""
    assert change_options(question, "protons", "electrons", "neutrons") == "neutrons"
    wrong = question.attempts.filter(verdict="wrong").select_related("question")
    assert {one.given for one in wrong} == {2} and question.attempts.get(verdict="right").given == 0


def test_a_mistake_stays_with_its_option_when_two_edit_at_once(hard: Question) -> None:
    question = hard
    other = Question.objects.get(pk=question.pk)
    assert change_options(question, "electrons", "protons", "neutrons") == "neutrons"
    assert change_options(other, "protons", "electrons", "neutrons") == "neutrons"


def test_an_answer_shows_the_option_that_is_gone(hard: Question) -> None:
    question = hard
    change_options(question, "protons", "electrons")
    wrong = question.attempts.filter(verdict="wrong").select_related("question")
    assert {line for one in wrong for line in describe_answer(question, one.given)} == {"neutrons"}
