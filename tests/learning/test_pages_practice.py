"""Practice: the form of each kind, feedback, leaving and coming back, and the summary."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.models import Participant
from learning.models import Attempt, PracticeSession, Question, StudyPlan
from tests.factories import Cast
from tests.learning.plans import make_plan
from tests.learning.test_pages_questions import make_question

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(client: Client, people: Cast) -> Client:
    client.force_login(people.alice.user)
    return client


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice, "Erosion", "Abrasion")


def url(name: str, row: Any) -> str:
    return reverse(f"learning:{name}", args=[row.pk])


def start(client: Client, plan: StudyPlan, **data: Any) -> PracticeSession:
    client.post(url("learn", plan), data)
    return PracticeSession.objects.get(finished_at=None)


def asking(plan: StudyPlan, people: Cast, kind: str) -> tuple[PracticeSession, Question]:
    """A session that asks a question of this kind."""
    question = make_question(plan, kind)
    session = PracticeSession.objects.create(
        school_id=plan.school_id, plan=plan, participant=Participant.objects.of(people.alice), question=question
    )
    return session, question


def test_a_session_asks_answers_and_ends(alice: Client, plan: StudyPlan) -> None:
    assert "About 10 minutes" in alice.get(url("learn", plan)).content.decode()
    session = start(alice, plan)
    seen = set()
    for _ in range(2):
        page = alice.get(url("session", session))
        question = page.context["question"]
        seen.add(question.pk)
        assert "Not reviewed by a teacher" in page.content.decode()
        data = {"question": question.pk, "given": question.answer["accepted"][0]}
        feedback = alice.post(url("answer", session), data, follow=True).content.decode()
        assert "Right</h1>" in feedback
        assert "Read on:" in feedback
        assert 'class="cite kind-personal"' in feedback
    assert len(seen) == 2
    alice.post(url("end-session", session))
    html = alice.get(url("session", session)).content.decode()
    assert "2 of 2 answers right" in html
    assert "What went well" in html


def test_a_session_is_left_and_taken_up(alice: Client, people: Cast, plan: StudyPlan) -> None:
    session = start(alice, plan)
    asked = alice.get(url("session", session)).context["question"]
    elsewhere = Client()
    elsewhere.force_login(people.alice.user)
    assert "It goes on where you left it" in elsewhere.get(url("learn", plan)).content.decode()
    assert start(elsewhere, plan) == session
    assert elsewhere.get(url("session", session)).context["question"] == asked


@pytest.mark.parametrize(
    ("kind", "given", "stored"),
    [
        ("single", "0", 0),
        ("several", ["0", "1"], [0, 1]),
        ("truth", "false", False),
        ("number", "25 min", "25 min"),
        ("order", ["2", "1", "3"], [1, 0, 2]),
        ("match", ["1", "0"], [1, 0]),
        ("cloze", "stones", "stones"),
    ],
)
def test_each_kind_has_a_form(alice: Client, people: Cast, plan: StudyPlan, kind: str, given: Any, stored: Any) -> None:
    session, question = asking(plan, people, kind)
    html = alice.get(url("session", session)).content.decode()
    assert 'name="given"' in html
    page = alice.post(url("answer", session), {"question": question.pk, "given": given}, follow=True)
    attempt = Attempt.objects.get()
    assert attempt.given == stored
    assert attempt.verdict == "right"
    assert "Right</h1>" in page.content.decode()


@pytest.mark.parametrize("kind", ["single", "several", "truth", "number", "order", "match", "cloze", "short"])
def test_an_empty_answer_is_refused_and_the_question_stays(
    alice: Client, people: Cast, plan: StudyPlan, kind: str
) -> None:
    session, question = asking(plan, people, kind)
    response = alice.post(url("answer", session), {"question": question.pk, "given": ""})
    assert response.status_code == 422
    assert 'id="problem" role="alert"' in response.content.decode()
    assert not Attempt.objects.exists()
    assert alice.get(url("session", session)).context["question"] == question


def test_steps_that_share_a_place_are_refused_and_stay_chosen(alice: Client, people: Cast, plan: StudyPlan) -> None:
    session, question = asking(plan, people, "order")
    response = alice.post(url("answer", session), {"question": question.pk, "given": ["1", "1", "3"]})
    assert response.status_code == 422
    assert response.content.decode().count(" selected") == 3


def test_a_wrong_answer_says_what_is_right(alice: Client, people: Cast, plan: StudyPlan) -> None:
    session, question = asking(plan, people, "single")
    page = alice.post(url("answer", session), {"question": question.pk, "given": "2"}, follow=True).content.decode()
    assert "Not right</h1>" in page
    assert "You answered: Fire" in page
    assert "<b>Answer:</b> Stones" in page


def test_a_short_answer_is_rated_by_the_learner(alice: Client, people: Cast, plan: StudyPlan) -> None:
    session, question = asking(plan, people, "short")
    page = alice.post(url("answer", session), {"question": question.pk, "given": "Some sand"}, follow=True)
    assert "Compare your answer</h1>" in page.content.decode() and 'name="rating"' in page.content.decode()
    sent = {"attempt": Attempt.objects.get().pk, "rating": "partly"}
    html = alice.post(url("rate", session), sent, follow=True).content.decode()
    assert "Partly right</h1>" in html and "You rated this answer yourself" in html and 'name="rating"' not in html
    assert "rated already" in alice.post(url("rate", session), sent | {"rating": "right"}, follow=True).content.decode()
    assert alice.post(url("rate", session), {"rating": "right"}).status_code == 404
    alice.post(url("end-session", session))
    assert "0 of 1 answer right" in alice.get(url("session", session)).content.decode()


def test_an_answer_after_the_end_is_not_counted(alice: Client, people: Cast, plan: StudyPlan) -> None:
    session, question = asking(plan, people, "single")
    alice.post(url("end-session", session))
    html = alice.post(url("answer", session), {"question": question.pk, "given": "0"}, follow=True).content.decode()
    assert "This session is over" in html
    assert not Attempt.objects.exists()


def test_one_concept_can_be_practised(alice: Client, plan: StudyPlan) -> None:
    abrasion = plan.concepts.get(name="Abrasion")
    session = start(alice, plan, concept=abrasion.pk)
    assert session.concept == abrasion
    assert alice.get(url("session", session)).context["question"].concept == abrasion


def test_without_questions_nothing_starts(alice: Client, plan: StudyPlan) -> None:
    Question.objects.update(review="rejected")
    assert "No questions yet" in alice.post(url("learn", plan)).content.decode()
    assert not PracticeSession.objects.exists()


def test_the_owner_practises_with_what_nobody_has_reviewed(alice: Client, plan: StudyPlan) -> None:
    StudyPlan.objects.update(shows_unreviewed=False)
    for _ in range(8):
        make_question(plan, "single")
    assert "Not yet for pupils" in alice.get(url("plan", plan)).content.decode()
    assert not Question.objects.shown().exists()
    assert "Not reviewed by a teacher" in alice.get(url("session", start(alice, plan))).content.decode()
    Question.objects.update(review="approved")
    assert "Not yet for pupils" not in alice.get(url("plan", plan)).content.decode()


def test_questions_of_other_plans_cannot_be_answered(alice: Client, people: Cast, plan: StudyPlan) -> None:
    session = start(alice, plan)
    other = make_question(make_plan(people.bob), "single")
    assert alice.post(url("answer", session), {"question": other.pk, "given": "0"}).status_code == 404
    assert alice.post(url("answer", session), {"question": "x", "given": "0"}).status_code == 404


@pytest.mark.parametrize("who", ["bob", "carol", "charlie"])
def test_a_session_is_the_learners(alice: Client, people: Cast, plan: StudyPlan, who: str) -> None:
    session = start(alice, plan)
    stranger = Client()
    stranger.force_login(getattr(people, who).user)
    assert stranger.get(url("session", session)).status_code == 404
    for name in ("answer", "rate", "end-session"):
        assert stranger.post(url(name, session)).status_code == 404
