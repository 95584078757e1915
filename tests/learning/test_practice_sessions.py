"""Practice sessions: which question comes next, how long, and where they go on."""

from datetime import timedelta

from chatbots.models import Participant
from learning.models import ConceptProgress, PracticeSession, Question, ReviewState, StudyPlan
from learning.practice.answering import answer_question
from learning.practice.sessions import end_practice_session, next_question, start_session
from tests.factories import Cast
from tests.learning.practising import (
    KINDS,
    RIGHT,
    WRONG,
    let_pass,
    make_concept,
    make_plan,
    make_question,
    without_account,
)


def asked(session: PracticeSession, *, wrong: tuple[Question, ...] = (), most: int = 50) -> list[Question]:
    """The questions that a session asks, all answered."""
    found: list[Question] = []
    while len(found) < most and (question := next_question(session)):
        found.append(question)
        given = (WRONG if question in wrong and found.count(question) == 1 else RIGHT)[question.kind]
        answer_question(question=question, participant=session.participant, given=given, session=session)
        let_pass(session.participant, timedelta(seconds=11))
    return found


def begun(plan: StudyPlan, participant: Participant) -> PracticeSession:
    return start_session(plan=plan, participant=participant)


def test_a_session_goes_on_where_it_was_left(people: Cast) -> None:
    plan = make_plan(people.alice)
    make_question(make_concept(plan, "Acid"))
    learner = Participant.objects.of(people.bob)
    session = begun(plan, learner)
    question = next_question(session)
    again = begun(plan, Participant.objects.of(people.bob))
    assert again == session
    assert next_question(again) == question == next_question(again)
    assert begun(plan, Participant.objects.of(people.alice)) != session


def test_one_that_was_left_for_long_is_over(people: Cast) -> None:
    plan = make_plan(people.alice)
    learner = without_account(people.alice)
    session = begun(plan, learner)
    let_pass(learner, timedelta(days=2))
    assert begun(plan, learner) != session
    session.refresh_from_db()
    assert session.finished_at is not None


def test_it_ends_with_its_minutes(people: Cast) -> None:
    plan = make_plan(people.alice, session_minutes=1)
    concept = make_concept(plan, "Acid")
    for _ in range(20):
        make_question(concept)
    session = begun(plan, without_account(people.alice))
    assert len(asked(session)) == 7  # eleven seconds apart
    assert session.finished_at is not None
    assert next_question(session) is None
    assert begun(plan, session.participant) != session


def test_it_ends_when_nothing_is_left(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acid")
    questions = {make_question(concept, kind) for kind in KINDS}
    session = begun(plan, without_account(people.alice))
    found = asked(session)
    assert (set(found), len(found)) == (questions, len(questions))
    end_practice_session(session)


def test_what_was_wrong_comes_again_after_others(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acid")
    questions = [make_question(concept) for _ in range(6)]
    session = begun(plan, without_account(people.alice))
    found = asked(session, wrong=(questions[0],))
    first, second = [place for place, question in enumerate(found) if question == questions[0]]
    assert second - first > 3
    assert len(found) == 7


def test_a_lone_question_is_not_asked_again_at_once(people: Cast) -> None:
    plan = make_plan(people.alice)
    question = make_question(make_concept(plan, "Acid"))
    assert asked(begun(plan, without_account(people.alice)), wrong=(question,)) == [question]


def test_prerequisites_come_first(people: Cast) -> None:
    plan = make_plan(people.alice)
    acids = make_concept(plan, "Acids")
    salts = make_concept(plan, "Salts", acids)
    for concept in (acids, acids, salts):
        make_question(concept)
    session = begun(plan, without_account(people.alice))
    assert [question.concept for question in asked(session)] == [acids, acids, salts]


def test_a_prerequisite_without_questions_holds_nobody_up(people: Cast) -> None:
    plan = make_plan(people.alice)
    salts = make_concept(plan, "Salts", make_concept(plan, "Acids"))
    question = make_question(salts)
    assert next_question(begun(plan, without_account(people.alice))) == question


def test_a_locked_concept_waits_but_can_be_practised_by_itself(people: Cast) -> None:
    plan = make_plan(people.alice)
    acids = make_concept(plan, "Acids")
    salts = make_concept(plan, "Salts", acids)
    make_question(acids)
    question = make_question(salts)
    learner = without_account(people.alice)
    session = start_session(plan=plan, participant=learner, concept=salts)
    assert next_question(session) == question
    assert begun(plan, learner) != session


def test_due_comes_before_weak_before_new(people: Cast) -> None:
    plan = make_plan(people.alice)
    new, weak, due = (make_concept(plan, name) for name in ("new", "weak", "due"))
    learner = without_account(people.alice)
    for concept in (new, weak, due):
        for _ in range(3):
            make_question(concept)
    for given in (0, 0):
        answer_question(question=due.questions.all()[given], participant=learner, given=given)
    let_pass(learner, timedelta(days=30))
    for place in (0, 1):
        answer_question(question=weak.questions.all()[place], participant=learner, given=1)
    let_pass(learner, timedelta(seconds=20))
    session = begun(plan, learner)
    assert [question.concept for question in asked(session, most=4)] == [due, weak, weak, new]


def test_a_new_concept_begins_with_easy_kinds(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acid")
    for kind in reversed(KINDS):
        make_question(concept, kind)
    session = begun(plan, without_account(people.alice))
    assert [question.kind for question in asked(session, most=2)] == ["single", "cloze"]


def test_what_nobody_may_see_is_not_asked(people: Cast) -> None:
    plan = make_plan(people.alice, shows_unreviewed=False)
    concept, gone = make_concept(plan, "Acid"), make_concept(plan, "Gone")
    make_question(concept, review=ReviewState.UNREVIEWED)
    make_question(concept, review=ReviewState.REJECTED)
    make_question(concept, is_outdated=True)
    make_question(gone)
    gone.removed_at = gone.created_at
    gone.save()
    assert next_question(begun(plan, without_account(people.alice))) is None


def test_one_that_is_withdrawn_meanwhile_is_replaced(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acid")
    make_question(concept)
    make_question(concept)
    session = begun(plan, without_account(people.alice))
    question = next_question(session)
    assert question is not None
    Question.objects.filter(pk=question.pk).update(review=ReviewState.REJECTED)
    other = next_question(session)
    assert other not in (None, question)
    question.delete()
    assert next_question(session) == other


def test_learners_have_their_own_progress(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acid")
    question = make_question(concept)
    one, other = without_account(people.alice), without_account(people.alice)
    answer_question(question=question, participant=one, given=0)
    assert next_question(begun(plan, other)) == question
    assert not ConceptProgress.objects.filter(participant=other).exists()
