"""Progress of a learner, and statistics over all of them."""

from datetime import timedelta

import pytest

from chatbots.models import Participant
from learning.models import Concept, Question
from learning.practice.answering import answer_question
from learning.practice.progress import choose_next_concepts, get_progress
from learning.practice.shown import describe_answer
from learning.practice.statistics import QuestionStatistics, concept_statistics, question_statistics
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


def test_statistics_of_concepts(people: Cast) -> None:
    plan = make_plan(people.alice)
    acids, salts = make_concept(plan, "Acids"), make_concept(plan, "Salts")
    one, other = without_account(people.alice), Participant.objects.of(people.bob)
    answer(one, acids, 0, 1)
    answer(other, acids, 0, 0)
    answer_question(question=make_question(acids, "short"), participant=one, given="Protons are given.")
    first, second = concept_statistics(plan)
    assert (first.concept, first.learners, first.attempts, first.share_right) == (acids, 2, 4, 0.75)
    assert (second.concept, second.learners, second.attempts, second.share_right) == (salts, 0, 0, None)


@pytest.fixture
def answered(people: Cast) -> dict[str, QuestionStatistics]:
    """Eight learners, of whom the first four know the subject. Of the questions, one is hard."""
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acids")
    names = ["good", "also good", "fair", "misleading", "hard", "easy"]
    questions = {name: make_question(concept, prompt=name) for name in names}
    for number in range(8):
        learner, knows = without_account(people.alice), number < 4
        right = {
            "good": knows,
            "also good": knows or number == 4,
            "fair": knows and number != 3,
            "misleading": not knows,
            "hard": number == 0,
            "easy": True,
        }
        for name, question in questions.items():
            answer_question(question=question, participant=learner, given=0 if right[name] else 1)
    return {row.question.prompt: row for row in question_statistics(plan)}


def test_statistics_of_questions(answered: dict[str, QuestionStatistics]) -> None:
    assert {name: row.is_misleading for name, row in answered.items()} == {
        "good": False, "also good": False, "fair": False, "misleading": False, "hard": True, "easy": False,
    }  # fmt: skip
    assert (answered["good"].attempts, answered["good"].share_right) == (8, 0.5)
    assert (answered["hard"].mistake, answered["hard"].times) == ("neutrons", 7)
    assert (answered["easy"].mistake, answered["easy"].times) == ("", 0)


def test_what_is_right_since_an_edit_is_no_mistake(answered: dict[str, QuestionStatistics]) -> None:
    question = answered["hard"].question
    question.answer = {"correct": 1}
    question.save()
    rows = {row.question.prompt: row.mistake for row in question_statistics(question.concept.plan)}
    assert (rows["hard"], rows["good"]) == ("", "neutrons")


def change_options(question: Question, *options: str) -> dict[str, str]:
    """What is misunderstood, by question, once its teacher has changed its options."""
    edit_question(
        question=question,
        prompt=question.prompt,
        options=options,
        targets=[],
        answer={"correct": options.index("protons")},
        explanation="Acids give protons. [1]",
    )
    return {row.question.prompt: row.mistake for row in question_statistics(question.concept.plan)}


def test_a_mistake_stays_with_its_option(answered: dict[str, QuestionStatistics]) -> None:
    question = answered["hard"].question
    assert question.options[:2] == ["protons", "neutrons"]
    assert change_options(question, "electrons", "neutrons too", "protons")["hard"] == ""
    assert change_options(question, "electrons", "protons")["hard"] == ""
    assert change_options(question, "protons", "electrons", "neutrons")["hard"] == "neutrons"
    wrong = question.attempts.filter(verdict="wrong").select_related("question")
    assert {one.given for one in wrong} == {2} and question.attempts.get(verdict="right").given == 0


def test_a_mistake_stays_with_its_option_when_two_edit_at_once(answered: dict[str, QuestionStatistics]) -> None:
    question = answered["hard"].question
    other = Question.objects.get(pk=question.pk)
    assert change_options(question, "electrons", "protons", "neutrons")["hard"] == "neutrons"
    assert change_options(other, "protons", "electrons", "neutrons")["hard"] == "neutrons"


def test_an_answer_shows_the_option_that_is_gone(answered: dict[str, QuestionStatistics]) -> None:
    question = answered["hard"].question
    change_options(question, "protons", "electrons")
    wrong = question.attempts.filter(verdict="wrong").select_related("question")
    assert {line for one in wrong for line in describe_answer(question, one.given)} == {"neutrons"}


def test_few_answers_call_no_question_misleading(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acids")
    first, second = make_question(concept), make_question(concept)
    for _ in range(4):
        learner = without_account(people.alice)
        for question, given in ((first, 1), (second, 0)):
            answer_question(question=question, participant=learner, given=given)
    assert [(row.mistake, row.is_misleading) for row in question_statistics(plan)] == [("neutrons", False), ("", False)]


def test_statistics_name_nobody(answered: dict[str, QuestionStatistics]) -> None:
    fields = set(QuestionStatistics.__dataclass_fields__)
    assert fields == {"question", "attempts", "share_right", "mistake", "times"}
    assert Question.objects.count() == len(answered)
