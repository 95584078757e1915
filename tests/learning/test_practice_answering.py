"""Answers to practice questions: what is accepted, what is stored, and what it says of progress."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from chatbots.models import Participant
from learning.models import Attempt, Concept, ConceptProgress, PracticeSession
from learning.practice.answering import AnswerRefused, answer_question, clean_given, rate_attempt
from learning.practice.sessions import start_session
from learning.practice.shown import load_shown_attempts
from tests.factories import Cast
from tests.learning.practising import (
    KINDS,
    RIGHT,
    WRONG,
    let_pass,
    make_concept,
    make_plan,
    make_question,
    make_source,
    without_account,
)

CLOSED = [kind for kind in KINDS if kind != "short"]


@pytest.mark.parametrize("kind", CLOSED)
def test_a_right_and_a_wrong_answer_of_each_kind(people: Cast, kind: str) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"), kind)
    learner = without_account(people.alice)
    right = answer_question(question=question, participant=learner, given=RIGHT[kind])
    assert (right.verdict, right.share, right.cited) == ("right", 1.0, [1])
    wrong = answer_question(question=question, participant=learner, given=WRONG[kind])
    assert (wrong.verdict, wrong.share) == ("wrong", 0.0)
    assert "[1]" in wrong.feedback


def test_a_wrong_choice_is_told_what_it_is_and_where_that_stands(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept, base = make_concept(plan, "Acid"), make_concept(plan, "base")
    Concept.objects.filter(pk=base.pk).update(definition="A base is slippery like soap.")
    make_source(concept, 2, text="Lye burns. A **base** is slippery like soap.")
    options = ["Acid", "Bases", "Is slippery like soap", "Soap"]
    question = make_question(concept, options=options, answer={"correct": 0})
    learner = without_account(people.alice)
    named = answer_question(question=question, participant=learner, given=1)
    assert named.feedback.endswith("“Base” is something else: A base is slippery like soap. [2]") and named.cited == [
        1,
        2,
    ]
    (shown,) = load_shown_attempts([named])
    assert [source.number for source in shown.cited] == [1, 2]
    meant = answer_question(question=question, participant=learner, given=2)
    assert meant.feedback.endswith("Your choice is about “Base”: A base is slippery like soap. [2]")
    other = answer_question(question=question, participant=learner, given=3)
    assert "else" not in other.feedback and other.cited == [1]


def test_a_short_answer_is_stored_whatever_the_verdict(people: Cast) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"), "short")
    attempt = answer_question(question=question, participant=without_account(people.alice), given=RIGHT["short"])
    assert attempt.given == RIGHT["short"]
    assert "[1]" in attempt.feedback


FORMS: list[tuple[str, Any, Any]] = [
    ("single", "2", 2),
    ("several", ["1", "0", "1"], [0, 1]),
    ("truth", "true", True),
    ("truth", False, False),
    ("order", ["2", "0", "1"], [2, 0, 1]),
    ("match", ["1", "1"], [1, 1]),
    ("number", 2.5, "2.5"),
    ("number", " 2,5 km ", "2,5 km"),
    ("cloze", " protons\x00 ", "protons"),
    ("short", "one\r\ntwo\ud800", "one\ntwo"),
]


@pytest.mark.parametrize(("kind", "raw", "given"), FORMS)
def test_forms_and_programs_send_it_in_their_ways(people: Cast, kind: str, raw: Any, given: Any) -> None:
    assert clean_given(make_question(make_concept(make_plan(people.alice), "Acid"), kind), raw) == given


REFUSED: list[tuple[str, Any]] = [
    *[("single", raw) for raw in (None, "", "3", -1, True, [0], "²", 10**30)],
    *[("several", raw) for raw in ([], None, "0", [7], [[0]], {"0": 1})],
    *[("truth", raw) for raw in (None, "maybe", 1)],
    *[("order", raw) for raw in ([0, 1], [0, 1, 1], "012", None)],
    *[("match", raw) for raw in ([0], [0, 1, 1], [0, ""], None)],
    *[("number", raw) for raw in ("many", "", None, float("nan"), True, "9" * 2001)],
    *[("short", raw) for raw in ("  ", None, 5, "a" * 2001)],
]


@pytest.mark.parametrize(("kind", "raw"), REFUSED)
def test_what_is_no_answer_is_refused_in_words(people: Cast, kind: str, raw: Any) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"), kind)
    with pytest.raises(AnswerRefused, match=r"\w"):
        clean_given(question, raw)


def test_progress_follows_the_answers(people: Cast) -> None:
    concept = make_concept(make_plan(people.alice), "Acid")
    first, second = make_question(concept), make_question(concept, "several")
    learner = Participant.objects.of(people.bob)
    answer_question(question=first, participant=learner, given=0)
    row = ConceptProgress.objects.get(participant=learner)
    assert (row.attempts, row.right, row.card["stability"] > 0) == (1, 1, True)
    soon = row.due_at
    answer_question(question=second, participant=learner, given=[0, 1])
    row.refresh_from_db()
    assert row.due_at - soon > timedelta(days=1)
    late = row.due_at
    answer_question(question=second, participant=learner, given=[2])
    row.refresh_from_db()
    assert (row.attempts, row.right) == (3, 2)
    assert row.due_at < late


def unsure(people: Cast) -> Attempt:
    """An answer that the learner is to compare."""
    question = make_question(make_concept(make_plan(people.alice), "Acid"), "short")
    learner = Participant.objects.of(people.bob)
    return answer_question(question=question, participant=learner, given="Protons are given.")


@pytest.mark.parametrize(("rating", "right"), [("right", 1), ("partly", 0), ("wrong", 0)])
def test_the_learners_own_rating_counts_once_for_progress(people: Cast, rating: str, right: int) -> None:
    attempt = unsure(people)
    assert attempt.outcome == "unsure" and ConceptProgress.objects.get().card["last_review"] is None
    for _ in range(2):
        rate_attempt(attempt=attempt, rating=rating)
    row = ConceptProgress.objects.get()
    assert (row.attempts, row.right) == (1, right) and row.card["last_review"]
    attempt.refresh_from_db()
    assert (attempt.verdict, attempt.own_rating, attempt.outcome) == ("unsure", rating, rating)


def test_no_other_answer_is_rated_and_none_otherwise_later(people: Cast) -> None:
    attempt = unsure(people)
    for rating in ("unsure", "", "perfect"):
        with pytest.raises(AnswerRefused):
            rate_attempt(attempt=attempt, rating=rating)
    rate_attempt(attempt=attempt, rating="wrong")
    with pytest.raises(AnswerRefused):
        rate_attempt(attempt=attempt, rating="right")
    judged = answer_question(question=make_question(attempt.question.concept), participant=attempt.participant, given=1)
    with pytest.raises(AnswerRefused):
        rate_attempt(attempt=judged, rating="right")
    assert (judged.verdict, judged.own_rating, ConceptProgress.objects.get().right) == ("wrong", "", 0)


def test_an_answer_that_nobody_can_judge_changes_no_progress(people: Cast) -> None:
    concept = make_concept(make_plan(people.alice), "Acid")
    learner = without_account(people.alice)
    answer_question(question=make_question(concept), participant=learner, given=0)
    before = ConceptProgress.objects.values().get()
    attempt = answer_question(question=make_question(concept, "short"), participant=learner, given="Protons are given.")
    after = ConceptProgress.objects.values().get()
    assert attempt.verdict == "unsure"
    assert {**after, "updated_at": None} == {**before, "updated_at": None}


def test_an_answer_sent_twice_counts_once(people: Cast) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"))
    learner = without_account(people.alice)
    first = answer_question(question=question, participant=learner, given=0)
    assert answer_question(question=question, participant=learner, given=0) == first
    assert answer_question(question=question, participant=learner, given=1) != first
    let_pass(learner, timedelta(minutes=1))
    assert answer_question(question=question, participant=learner, given=0) != first
    assert ConceptProgress.objects.get().attempts == Attempt.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_an_answer_sent_twice_at_once_counts_once(people: Cast) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"))
    learner = without_account(people.alice)
    meet = threading.Barrier(2)

    def send() -> None:
        meet.wait()
        answer_question(question=question, participant=learner, given=0)
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (Attempt.objects.count(), ConceptProgress.objects.get().attempts) == (1, 1)


def test_time_counts_but_not_pauses(people: Cast) -> None:
    plan = make_plan(people.alice)
    concept = make_concept(plan, "Acid")
    learner = without_account(people.alice)
    session = start_session(plan=plan, participant=learner)
    for pause in (30, 90, 600):
        let_pass(learner, timedelta(seconds=pause))
        answer_question(question=make_question(concept), participant=learner, given=0, session=session)
    session.refresh_from_db()
    assert 120 <= session.seconds < 150


def test_an_answer_of_another_session_is_refused(people: Cast) -> None:
    plan, other = make_plan(people.alice), make_plan(people.alice)
    question = make_question(make_concept(plan, "Acid"))
    pupil, neighbour = without_account(people.alice), without_account(people.alice)
    for session in (
        start_session(plan=plan, participant=neighbour),
        start_session(plan=other, participant=pupil),
    ):
        with pytest.raises(AnswerRefused):
            answer_question(question=question, participant=pupil, given=0, session=session)
    assert not Attempt.objects.exists()


def test_nobody_else_reaches_an_answer(people: Cast) -> None:
    plan = make_plan(people.alice)
    question = make_question(make_concept(plan, "Acid"))
    learner = Participant.objects.of(people.bob)
    answer_question(
        question=question,
        participant=learner,
        given=0,
        session=start_session(plan=plan, participant=learner),
    )
    for model in (Attempt, PracticeSession, ConceptProgress):
        door = model.objects.for_member
        assert door(people.bob).count() == 1
        for stranger in (people.alice, people.carol, people.charlie, people.chloe):
            assert not door(stranger).exists(), model


def test_no_answer_joins_two_schools(people: Cast) -> None:
    question = make_question(make_concept(make_plan(people.alice), "Acid"))
    stranger = Participant.objects.of(people.charlie)
    with pytest.raises(IntegrityError), transaction.atomic():
        answer_question(question=question, participant=stranger, given=0)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert not Attempt.objects.exists()
