"""Grades of practice: from an answer of a pupil to the gradebook of the platform."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.models import Participant
from classrooms.models import ClassLink, Pupil
from learning.models import Attempt, Question, StudyPlan
from learning.practice.answering import answer_question, rate_attempt
from learning.practice.statistics import compute_score
from lti import grades
from lti.models import GradePassback, Platform, ResourceLink
from lti.platform_calls import build_scores_url
from lti.tasks import send_grades
from tests.classrooms.classes import ORIGIN, page
from tests.factories import Cast, signed_in
from tests.learning.plans import add, add_questions
from tests.lti.simulator import Simulator, go, words
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db


@pytest.fixture
def pupil(sim: Simulator, link: ResourceLink) -> Pupil:
    """Who has come from the platform."""
    sim.opens("subject-4711", link=link.pk)
    assert go(Client(), sim).status_code == 302
    return Pupil.objects.get()


def answers(pupil: Pupil, plan: StudyPlan, concept: str, given: str) -> Attempt:
    question = plan.concepts.get(name=concept).questions.get()
    return answer_question(question=question, participant=pupil.participant, given=given)


def later() -> int:
    """What the worker sends, once it is due."""
    GradePassback.objects.filter(due_at__isnull=False).update(due_at=timezone.now())
    return grades.send_due()


def test_a_grade_arrives(sim: Simulator, link: ResourceLink, class_link: ClassLink, plan: StudyPlan) -> None:
    """Through the pages, from the first launch to the gradebook."""
    sim.opens("subject-4711", link=link.pk)
    client = Client(headers={"Origin": ORIGIN})
    address = go(client, sim).headers["Location"]
    assert address == page("practise", class_link, plan.tutor_id)
    key = client.get(address).content.decode().partition('name="question" value="')[2].partition('"')[0]
    asked = Question.objects.get(pk=key).concept
    assert client.post(address, {"question": key, "given": asked.name}).status_code == 302
    assert send_grades() == 0  # it waits for more
    assert later() == 1
    (score,) = sim.scores
    assert datetime.fromisoformat(score.pop("timestamp")).tzinfo
    assert score == {
        "userId": "subject-4711",
        "scoreGiven": 50.0,
        "scoreMaximum": 100,
        "activityProgress": "InProgress",
        "gradingProgress": "FullyGraded",
        "comment": "Questions answered: 1. Concepts: 1 of 2.",
    }
    grade = GradePassback.objects.get()
    assert (grade.score, grade.due_at, grade.last_error) == (50.0, None, "")
    assert send_grades() == 0 and len(sim.scores) == 1  # safe to run twice


def test_quick_answers_make_one_grade(sim: Simulator, pupil: Pupil, plan: StudyPlan) -> None:
    answers(pupil, plan, "Acid", "Acid")
    due = GradePassback.objects.get().due_at
    answers(pupil, plan, "Base", "Base")
    assert GradePassback.objects.get().due_at == due  # nobody who goes on answering puts it off
    assert later() == 1 and [one["scoreGiven"] for one in sim.scores] == [100.0]
    assert sim.scores[0]["comment"] == "Questions answered: 2. Concepts: 2 of 2."
    assert sim.scores[0]["activityProgress"] == "Completed"
    answers(pupil, plan, "Base", "nonsense")
    assert later() == 1 and [one["scoreGiven"] for one in sim.scores] == [100.0, 50.0]
    assert sim.tokens == 1  # kept while it lasts
    first, second = (datetime.fromisoformat(one["timestamp"]) for one in sim.scores)
    assert first < second


def test_the_score(people: Cast, plan: StudyPlan) -> None:
    participant = Participant.objects.of(people.alice)

    def given(concept: str, share: float, verdict: str, minutes: int) -> None:
        Attempt.objects.create(
            school=plan.school,
            question=plan.concepts.get(name=concept).questions.get(),
            participant=participant,
            given="x",
            verdict=verdict,
            share=share,
            feedback="",
            answered_at=timezone.now() - timedelta(minutes=minutes),
        )

    assert compute_score(plan, participant).share == 0
    given("Acid", 1.0, "right", 9)
    given("Acid", 0.5, "partly", 8)
    given("Acid", 0.0, "unsure", 7)  # the learner compares it, which says nothing
    one = compute_score(plan, participant)
    assert (one.share, one.answered, one.concepts, one.is_complete) == (0.25, 1, 2, False)
    given("Base", 1.0, "right", 6)
    assert compute_score(plan, participant).share == 0.75
    add_questions(plan, 1)  # about Acid
    assert compute_score(plan, participant).questions == 2
    last = plan.concepts.earliest("position").questions.latest("created_at")
    Attempt.objects.create(
        school=plan.school, question=last, participant=participant, given="x", verdict="right", share=1.0, feedback=""
    )
    one = compute_score(plan, participant)
    assert (one.share, one.questions, one.answered) == (0.875, 3, 2)
    last.attempts.all().delete()
    add(plan, "Salt").questions.all().delete()  # nothing can be answered there
    assert compute_score(plan, participant).is_complete
    plan.concepts.filter(name="Base").update(removed_at=timezone.now())
    assert compute_score(plan, participant).share == 0.5


def make_short(plan: StudyPlan, concept: str) -> Question:
    question = plan.concepts.get(name=concept).questions.get()
    question.kind, question.answer = "short", {"reference": "A base takes up protons."}
    question.save()
    return question


def test_nobody_grades_themselves(people: Cast, plan: StudyPlan) -> None:
    """Short answers that the learner compares neither count nor are missed."""
    participant = Participant.objects.of(people.alice)
    attempt = answer_question(question=make_short(plan, "Base"), participant=participant, given="It takes something.")
    rate_attempt(attempt=attempt, rating="right")
    one = compute_score(plan, participant)
    assert (one.share, one.answered, one.concepts) == (0, 0, 1)


def test_a_model_answer_that_is_sent_back_is_no_grade(people: Cast, plan: StudyPlan) -> None:
    participant = Participant.objects.of(people.alice)
    other = plan.concepts.get(name="Base").questions.get()
    answer_question(question=other, participant=participant, given="nonsense")
    short = Question.objects.get(pk=other.pk)
    short.pk, short.id, short.kind, short.answer = None, uuid4(), "short", {"reference": "A base takes up protons."}
    short._state.adding = True
    short.save()
    answer_question(question=short, participant=participant, given="A base takes up protons.")
    one = compute_score(plan, participant)
    assert (one.share, one.answered, one.concepts) == (0, 1, 2)


def test_a_model_grades_short_answers(people: Cast, plan: StudyPlan, model: type[ScriptedLLM]) -> None:
    participant = Participant.objects.of(people.alice)
    model.enqueue(json.dumps({"verdict": "partly", "missing": [], "citations": [1]}))
    answer_question(question=make_short(plan, "Base"), participant=participant, given="It takes something.")
    one = compute_score(plan, participant)
    assert (one.share, one.answered, one.concepts) == (0.25, 1, 2)


def test_an_earlier_score_never_comes_later(sim: Simulator, pupil: Pupil, plan: StudyPlan) -> None:
    """Even if the clock was set back, and only one worker sends a grade at a time."""
    answers(pupil, plan, "Acid", "Acid")
    ahead = timezone.now() + timedelta(hours=1)
    GradePassback.objects.update(sent_at=ahead)
    assert later() == 1
    assert datetime.fromisoformat(sim.scores[0]["timestamp"]) >= ahead.replace(microsecond=0)
    assert GradePassback.objects.get().sent_at > ahead  # type: ignore[operator]


@pytest.mark.django_db(transaction=True)
def test_one_worker_at_a_time(sim: Simulator, pupil: Pupil, plan: StudyPlan) -> None:
    answers(pupil, plan, "Acid", "Acid")
    GradePassback.objects.update(due_at=timezone.now())
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [grades.LOCK])
        assert send_grades() == 0 and not sim.scores
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [grades.LOCK])
    finally:
        other.close()
    assert send_grades() == 1


@pytest.mark.django_db(transaction=True)
def test_the_lock_is_released(sim: Simulator, pupil: Pupil, plan: StudyPlan) -> None:
    """Also where the pool has several connections."""

    def is_free() -> bool:
        """Whether another connection could have the lock."""
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [grades.LOCK])
            (free,) = cursor.fetchone() or (False,)
            if free:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [grades.LOCK])
        return bool(free)

    answers(pupil, plan, "Acid", "Acid")
    GradePassback.objects.update(due_at=timezone.now())
    others = [connection.copy() for _ in range(3)]
    for one in others:
        one.ensure_connection()
    other = others.pop()
    for one in others:
        one.close()  # back to the pool
    try:
        assert send_grades() == 1
        assert is_free()
    finally:
        other.close()


def test_an_answer_while_a_grade_is_sent(
    sim: Simulator, pupil: Pupil, plan: StudyPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(address: str) -> str:
        if len(sim.scores) == 0:
            answers(pupil, plan, "Base", "Base")
        return build_scores_url(address)

    answers(pupil, plan, "Acid", "Acid")
    monkeypatch.setattr("lti.platform_calls.build_scores_url", meanwhile)
    assert later() == 1
    assert GradePassback.objects.get().due_at is not None  # it is sent once more
    assert later() == 1 and GradePassback.objects.get().due_at is None
    assert [one["scoreGiven"] for one in sim.scores] == [50.0, 100.0]


def test_a_platform_that_fails(
    sim: Simulator, pupil: Pupil, plan: StudyPlan, class_link: ClassLink, people: Cast
) -> None:
    """It is tried again after longer and longer times, then given up until the next answer. The teacher sees it."""
    answers(pupil, plan, "Acid", "Acid")
    sim.status = 503
    for number, delay in enumerate(grades.DELAYS, start=1):
        before = timezone.now()
        assert later() == 0
        grade = GradePassback.objects.get()
        assert grade.attempts == number and grade.due_at is not None
        assert before + delay <= grade.due_at <= timezone.now() + delay
        assert grade.last_error == f"{sim.url.partition('://')[2]} answered with 503."
    assert later() == 0 and GradePassback.objects.get().due_at is None
    alice, bob = signed_in(people.alice), signed_in(people.bob)
    where = reverse("lti:of-class", args=[class_link.pk])
    shown = words(alice.get(where))
    assert pupil.nickname in shown and "answered with 503. It is sent when the pupil answers again." in shown
    again = reverse("lti:send-grades", args=[class_link.pk])
    assert bob.get(where).status_code == bob.post(again).status_code == 404
    sim.status = 0
    assert alice.post(again).status_code == 302
    assert send_grades() == 1 and "answered with" not in words(alice.get(where))


def test_a_platform_that_is_away(sim: Simulator, pupil: Pupil, plan: StudyPlan, link: ResourceLink) -> None:
    """It holds the worker up once: its other grades wait as well."""
    sim.opens("another", link=link.pk)
    go(Client(), sim)
    second = Pupil.objects.exclude(pk=pupil.pk).get()
    for one in (pupil, second):
        answers(one, plan, "Acid", "Acid")
    Platform.objects.update(token_endpoint="http://127.0.0.1:9/token")
    assert later() == 0 and list(GradePassback.objects.values_list("attempts", flat=True)) == [1, 1]
    assert all(one.due_at and "could not be reached" in one.last_error for one in GradePassback.objects.all())
    Platform.objects.update(token_endpoint=f"{sim.url}/token")
    assert later() == 2 and {one["userId"] for one in sim.scores} == {"subject-4711", "another"}


@pytest.mark.parametrize(
    "token",
    [
        {"access_token": "t", "expires_in": float("nan")},
        {"access_token": "t", "expires_in": float("inf")},
        {"access_token": "t—", "expires_in": 1},
        {"access_token": "\ud800", "expires_in": 3600},
        {"access_token": "a\nb"},
    ],
)
def test_a_platform_that_sends_nonsense(
    sim: Simulator, pupil: Pupil, plan: StudyPlan, monkeypatch: pytest.MonkeyPatch, token: dict[str, object]
) -> None:
    """It is a failure of this grade, and those of other platforms go on."""
    monkeypatch.setattr(Simulator, "token", lambda *_: (200, token))
    answers(pupil, plan, "Acid", "Acid")
    assert later() == 0
    grade = GradePassback.objects.get()
    assert grade.attempts == 1 and grade.last_error and grade.due_at and grade.due_at > timezone.now()


def test_an_answer_without_end(
    sim: Simulator, pupil: Pupil, plan: StudyPlan, link: ResourceLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON that is nested more deeply than can be read."""
    monkeypatch.setattr(
        "tests.lti.simulator._Handler._send", lambda one, *_: one._answer(200, "text/json", b"[" * 400_000)
    )
    answers(pupil, plan, "Acid", "Acid")
    assert later() == 0 and GradePassback.objects.get().last_error == "The platform sent no access token."
    cache.clear()  # the keys of the first launch are kept
    sim.opens(link=link.pk)
    assert go(Client(), sim).status_code == 403


def test_an_answer_ends_the_waiting(sim: Simulator, pupil: Pupil, plan: StudyPlan) -> None:
    answers(pupil, plan, "Acid", "Acid")
    sim.status = 500
    for _ in range(3):
        later()
    sim.status = 0
    answers(pupil, plan, "Base", "Base")
    grade = GradePassback.objects.get()
    assert grade.attempts == 0 and grade.due_at and grade.due_at <= timezone.now() + grades.COALESCED
    assert later() == 1 and sim.scores[0]["scoreGiven"] == 100.0


def test_a_token_that_is_not_good_any_more(sim: Simulator, pupil: Pupil, plan: StudyPlan) -> None:
    answers(pupil, plan, "Acid", "Acid")
    assert later() == 1
    platform = Platform.objects.get()
    assert "token 1" not in str(cache.get(f"lti-token:{platform.pk}"))  # it is kept encrypted
    sim.status = 401
    answers(pupil, plan, "Base", "Base")
    assert later() == 0 and cache.get(f"lti-token:{platform.pk}") is None
    sim.status = 0
    assert later() == 1 and sim.tokens == 2


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_on": False}])
def test_nothing_is_sent_while_the_platform_is_off(
    sim: Simulator, pupil: Pupil, plan: StudyPlan, change: dict[str, bool]
) -> None:
    answers(pupil, plan, "Acid", "Acid")
    Platform.objects.update(**change)
    assert later() == 0 and not sim.scores and not sim.tokens
    Platform.objects.update(is_active=True, is_on=True)
    assert later() == 1


def test_grades_go_to_the_platform_only(sim: Simulator, pupil: Pupil, plan: StudyPlan, settings: Settings) -> None:
    """Not to where its addresses have pointed once, and nowhere unencrypted."""
    answers(pupil, plan, "Acid", "Acid")
    for address in ("https://evil.example/lineitem", "http://192.0.2.7/x", "https://169.254.169.254/latest"):
        GradePassback.objects.update(address=address, attempts=0)
        assert later() == 0
    settings.LECTERN_FETCH_LOOPBACK = False
    GradePassback.objects.update(address=sim.line_item)
    assert later() == 0
    settings.LECTERN_FETCH_LOOPBACK, settings.LECTERN_OFFLINE = True, True
    assert later() == 1 and len(sim.scores) == 1  # this machine is not outside


def test_another_key_of_the_installation(sim: Simulator, pupil: Pupil, plan: StudyPlan, settings: Settings) -> None:
    answers(pupil, plan, "Acid", "Acid")
    settings.SECRET_KEY = "another key of the installation, long enough"
    assert later() == 0 and "cannot be read" in GradePassback.objects.get().last_error


def test_others_answers_make_no_grade(
    sim: Simulator, pupil: Pupil, plan: StudyPlan, people: Cast, link: ResourceLink
) -> None:
    question = plan.concepts.get(name="Acid").questions.get()
    answer_question(question=question, participant=Participant.objects.of(people.alice), given="Acid")
    assert GradePassback.objects.get().due_at is None
    ResourceLink.objects.update(sends_grades=False)
    answers(pupil, plan, "Acid", "Acid")
    assert GradePassback.objects.get().due_at is None


def test_addresses_of_scores() -> None:
    assert build_scores_url("https://a.example/line/5") == "https://a.example/line/5/scores"
    assert build_scores_url("https://a.example/line/5/?type_id=1#x") == "https://a.example/line/5/scores?type_id=1"
