"""Study plans in a class: their tutor answers pupils, and pupils practise."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import timedelta
from typing import cast

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from classrooms import erasing, mails
from classrooms.joining.nicknames import NICKNAMES
from classrooms.models import ClassLink, Flag, OnConcern
from classrooms.summary import find_misconceptions, list_mastery, weak_concepts
from learning.models import Attempt, Concept, PracticeSession, Question, StudyPlan
from learning.practice.answering import answer_question
from tests.classrooms.classes import come_in, decide, open_class, page
from tests.factories import Cast, make_program, signed_in
from tests.learning.plans import add_questions, make_plan
from tests.learning.practising import KINDS
from tests.scripted import ScriptedLLM

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("goes_without_lead")]
JSON = "application/json"


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice, "Acid", "Base")


@pytest.fixture
def link(people: Cast, plan: StudyPlan) -> ClassLink:
    assert plan.tutor
    return open_class(people.alice, plan.tutor)


def question_on(client: Client, link: ClassLink, plan: StudyPlan) -> str:
    text = client.get(page("practise", link, plan.tutor_id)).content.decode()
    found = re.search(r'name="question" value="([^"]+)"', text)
    assert found, text
    return found[1]


def test_a_pupil_practises_and_gets_feedback(link: ClassLink, plan: StudyPlan, people: Cast) -> None:
    client, pupil = come_in(link)
    key = question_on(client, link, plan)
    response = client.post(page("practise", link, plan.tutor_id), {"question": key, "given": "nonsense"})
    attempt = Attempt.objects.get()
    assert attempt.participant == pupil.participant and attempt.verdict == "wrong"
    shown = client.get(response["Location"]).content.decode()
    assert "Not right" in shown and "nonsense" in shown
    empty = client.post(page("practise", link, plan.tutor_id), {"question": key, "given": ""})
    assert empty.status_code == 422 and Attempt.objects.count() == 1
    (weak,) = weak_concepts(link)
    assert (weak.asked, weak.wrong) == (1, 1)
    summary = signed_in(people.alice).get(f"/classes/{link.pk}/summary/").content.decode()
    assert "Hard in practice" in summary and weak.name in summary
    with zipfile.ZipFile(io.BytesIO(client.get(page("own-data-file", link)).content)) as archive:
        assert "nonsense" in archive.read("practice.json").decode()
    erasing.erase_pupil(pupil)
    assert not Attempt.objects.exists() and not PracticeSession.objects.exists()


def test_a_session_ends(link: ClassLink, plan: StudyPlan) -> None:
    client, _ = come_in(link)
    question_on(client, link, plan)
    PracticeSession.objects.update(seconds=100_000, question=None)
    response = client.get(page("practise", link, plan.tutor_id), follow=True)
    assert "Nothing to practise now" in response.content.decode()


def test_others_attempts_and_questions_are_out_of_reach(link: ClassLink, plan: StudyPlan, people: Cast) -> None:
    client, _ = come_in(link)
    key = question_on(client, link, plan)
    address = page("practise", link, plan.tutor_id)
    client.post(address, {"question": key, "given": "nonsense"})
    other, _ = come_in(link)
    attempt, session = Attempt.objects.get().pk, PracticeSession.objects.get().pk
    assert other.get(f"{address}?attempt={attempt}").status_code == 404
    assert other.get(f"{address}?over={session}").status_code == 404
    foreign = make_plan(people.charlie, "Acid")
    question = foreign.concepts.get().questions.all()[0]
    assert client.post(address, {"question": question.pk, "given": "x"}).status_code == 404
    assert client.get(page("practise", link, foreign.tutor_id)).status_code == 404


def test_what_several_pupils_misunderstand_is_shown_with_its_passage(
    link: ClassLink, plan: StudyPlan, people: Cast, settings: Settings
) -> None:
    concept = plan.concepts.earliest("position")
    source = concept.sources.earliest("number")
    question = Question.objects.create(
        school_id=plan.school_id,
        concept=concept,
        kind="single",
        prompt="Which one is sour?",
        options=["A base", "An acid", "A salt"],
        answer={"correct": 1},
        explanation="An acid is sour. [1]",
        source_numbers=[source.number],
    )
    for given in (0, 0, 2, 2, 0, 1):
        verdict = "right" if given == 1 else "wrong"
        Attempt.objects.create(
            school_id=plan.school_id,
            question=question,
            participant=come_in(link)[1].participant,
            given=given,
            verdict=verdict,
            share=float(given == 1),
        )
    ((found, cited),) = find_misconceptions(link)
    assert (found.question, found.option, found.times, cited) == (question, "A base", 3, source)
    summary = signed_in(people.alice).get(f"/classes/{link.pk}/summary/").content.decode()
    assert "3 pupils chose “A base”" in summary and reverse("learning:source", args=[source.pk]) in summary
    Question.objects.update(review="rejected")
    assert find_misconceptions(link) == []
    Question.objects.update(review="approved")
    Concept.objects.update(removed_at=timezone.now())
    assert find_misconceptions(link) == []
    Concept.objects.update(removed_at=None)
    settings.LECTERN_PLUGINS_OFF = ["learning"]
    summary = signed_in(people.alice).get(f"/classes/{link.pk}/summary/").content.decode()
    assert "A base" not in summary and "/learning/" not in summary
    settings.LECTERN_PLUGINS_OFF = []
    Question.objects.update(answer={"correct": 0})  # the teacher found that they were right
    assert find_misconceptions(link) == []
    assert find_misconceptions(link, on=timezone.localdate() - timedelta(days=1)) == []


def test_the_desk_shows_who_is_stuck_on_what(
    link: ClassLink, plan: StudyPlan, people: Cast, settings: Settings
) -> None:
    concept = plan.concepts.earliest("position")
    question = concept.questions.earliest("created_at")
    right, wrong, other = (come_in(link)[1] for _ in range(3))
    for pupil, given in ((right, concept.name), (wrong, "nonsense"), (wrong, "rubbish"), (right, concept.name + " ")):
        answer_question(question=question, participant=pupil.participant, given=given)
    (row,), by_pupil = list_mastery(link)
    assert (row.name, row.practised, row.stuck) == (concept.shown_name, 2, [wrong.nickname])
    assert row.known == [right.nickname] and other.nickname not in {one.name for one in by_pupil}
    assert (by_pupil[0].name, by_pupil[0].stuck) == (wrong.nickname, [concept.shown_name])
    page = signed_in(people.alice).get(f"/classes/{link.pk}/").content.decode()
    assert "Practice by concept" in page and concept.shown_name in page
    assert signed_in(people.bob).get(f"/classes/{link.pk}/").status_code == 404
    settings.LECTERN_PLUGINS_OFF = ["learning"]
    assert "Practice by concept" not in signed_in(people.alice).get(f"/classes/{link.pk}/").content.decode()
    settings.LECTERN_PLUGINS_OFF = []
    Concept.objects.update(removed_at=timezone.now())
    assert list_mastery(link) == ([], [])


def test_the_desk_shows_nobody_of_another_class_and_nobody_erased(
    link: ClassLink, plan: StudyPlan, people: Cast
) -> None:
    question = plan.concepts.earliest("position").questions.earliest("created_at")
    assert plan.tutor
    second = open_class(people.alice, plan.tutor, name="Chemistry 9c")
    mine, theirs = come_in(link)[1], come_in(second, max(NICKNAMES))[1]
    for pupil in (mine, theirs):
        answer_question(question=question, participant=pupil.participant, given="nonsense")
    assert [one.name for one in list_mastery(link)[1]] == [mine.nickname]
    assert [one.name for one in list_mastery(second)[1]] == [theirs.nickname]
    second.opened.all().delete()
    assert list_mastery(second) == ([], [])
    erasing.erase_pupil(mine)
    assert list_mastery(link) == ([], [])


@pytest.mark.parametrize("shows", ["titles", "none"])
def test_practice_shows_no_more_of_sources_than_allowed(people: Cast, plan: StudyPlan, shows: str) -> None:
    assert plan.tutor
    link = open_class(people.alice, plan.tutor, sources_shown=shows)
    client, _ = come_in(link)
    key = question_on(client, link, plan)
    response = client.post(page("practise", link, plan.tutor_id), {"question": key, "given": "nonsense"})
    text = client.get(response["Location"]).content.decode()
    assert ('class="note ' in text) == (shows == "titles")
    assert "cite-tip" not in text and 'class="quote"' not in text


def test_a_plan_is_offered_once_it_has_eight_questions(people: Cast, plan: StudyPlan, link: ClassLink) -> None:
    teacher, offered = signed_in(people.alice), f'value="{plan.tutor_id}"'
    assert offered not in teacher.get(reverse("classrooms:create")).content.decode()
    chosen = teacher.get(reverse("classrooms:create"), {"chatbot": str(plan.tutor_id)}).content.decode()
    assert "has too few questions that pupils may get" in chosen and offered not in chosen
    assert offered in teacher.get(reverse("classrooms:edit", args=[link.pk])).content.decode()  # the class has it
    add_questions(plan)
    assert offered in teacher.get(reverse("classrooms:create")).content.decode()
    StudyPlan.objects.update(shows_unreviewed=False)
    assert offered not in teacher.get(reverse("classrooms:create")).content.decode()


def test_plans_by_the_api(people: Cast, plan: StudyPlan) -> None:
    alice = make_program(people.alice)
    sent = {"name": "Acids", "plans": [str(plan.pk)], "ends_at": (timezone.now() + timedelta(days=7)).isoformat()}
    poor = alice.post("/api/v1/class-links", sent, content_type=JSON)
    assert poor.status_code == 400 and "fewer than eight" in poor.json()["errors"]["plans"][0]
    add_questions(plan)
    made = alice.post("/api/v1/class-links", sent, content_type=JSON).json()
    assert made["plans"] == [str(plan.pk)] and made["chatbots"] == []
    url = f"/api/v1/class-links/{made['id']}"
    assert alice.patch(url, {"name": "New"}, content_type=JSON).json()["plans"] == [str(plan.pk)]
    assert alice.patch(url, {"plans": []}, content_type=JSON).status_code == 400  # nothing would be left
    for owner in (people.bob, people.charlie):
        foreign = sent | {"plans": [str(make_plan(owner, "Acid").pk)]}
        response = alice.post("/api/v1/class-links", foreign, content_type=JSON)
        assert response.status_code == 400 and "plans" in response.json()["errors"]


def test_no_plan_with_few_questions_by_the_api_but_that_of_the_class(
    people: Cast, plan: StudyPlan, link: ClassLink
) -> None:
    alice, poor = make_program(people.alice), make_plan(people.alice, "Salt")
    ends_at = (timezone.now() + timedelta(days=7)).isoformat()
    sent = {"name": "Acids", "chatbots": [str(poor.tutor_id)], "ends_at": ends_at}
    url = f"/api/v1/class-links/{link.pk}"
    for response in (
        alice.post("/api/v1/class-links", sent, content_type=JSON),
        alice.patch(url, {"chatbots": sent["chatbots"]}, content_type=JSON),
        alice.patch(url, {"plans": [str(plan.pk), str(poor.pk)]}, content_type=JSON),
    ):
        assert response.status_code == 400 and "fewer than eight" in response.json()["errors"]["plans"][0]
    assert ClassLink.objects.get() == link and link.chatbots.get() == plan.tutor
    kept = alice.patch(url, {"plans": [str(plan.pk)]}, content_type=JSON)
    assert kept.json()["plans"] == [str(plan.pk)]


def test_pupils_rate_a_short_answer_and_no_other_pupils(link: ClassLink, plan: StudyPlan) -> None:
    Question.objects.update(kind="short", **KINDS["short"])
    client, _ = come_in(link)
    shown = client.get(practise(client, link, plan, "Protons are given.")["Location"]).content.decode()
    assert 'name="rating"' in shown
    attempt, address = Attempt.objects.get(), page("practise", link, plan.tutor_id)
    sent = {"attempt": attempt.pk, "rating": "wrong"}
    assert come_in(link)[0].post(address, sent).status_code == 404
    assert "You rated this answer yourself" in client.post(address, sent, follow=True).content.decode()
    assert "Not right" in client.post(address, sent | {"rating": "right"}, follow=True).content.decode()
    attempt.refresh_from_db()
    assert attempt.own_rating == "wrong" and weak_concepts(link) == []


WORRYING = "I want to kill myself"


def practise(client: Client, link: ClassLink, plan: StudyPlan, given: str) -> HttpResponse:
    key = question_on(client, link, plan)
    response = client.post(page("practise", link, plan.tutor_id), {"question": key, "given": given})
    return cast(HttpResponse, response)


def test_what_is_written_in_practice_is_checked_too(link: ClassLink, plan: StudyPlan, people: Cast) -> None:
    client, pupil = come_in(link)
    for _ in range(2):  # told once
        assert practise(client, link, plan, WORRYING).status_code == 422
    flag = Flag.objects.get()
    assert (flag.category, flag.pupil, flag.message, flag.was_held) == ("self-harm", pupil, None, True)
    alice = signed_in(people.alice)
    desk = alice.get(f"/classes/{link.pk}/").content.decode()
    assert WORRYING in desk and "in practice" in desk
    assert signed_in(people.bob).post(f"/classes/flags/{flag.pk}/seen/").status_code == 404
    assert alice.post(f"/classes/flags/{flag.pk}/seen/").status_code == 302
    decide(people.alice.school, tells_teacher=True)
    assert mails.mail_flags() == 2 and "in practice" in mail.outbox[0].body and "kill" not in mail.outbox[0].body
    erasing.erase_pupil(pupil)
    assert not Flag.objects.exists()


def test_what_is_held_back_in_practice_is_not_graded(link: ClassLink, plan: StudyPlan, people: Cast) -> None:
    decide(people.alice.school, on_concern=OnConcern.HOLD, help_words="Call us.")
    client, _ = come_in(link)
    assert "Call us." in practise(client, link, plan, WORRYING).content.decode()
    assert not Attempt.objects.exists() and Flag.objects.get().was_held


def test_nobody_practises_without_end(link: ClassLink, plan: StudyPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classrooms.views.practice.MAX_ANSWERS", 1)
    client, _ = come_in(link)
    practise(client, link, plan, "nonsense")
    refused = practise(client, link, plan, "more nonsense")
    assert refused.status_code == 422 and "You can go on tomorrow" in refused.content.decode()
    assert "more nonsense" in refused.content.decode() and Attempt.objects.count() == 1


def test_feedback_of_a_model_is_checked_before_it_is_shown(
    link: ClassLink, plan: StudyPlan, people: Cast, model: type[ScriptedLLM]
) -> None:
    decide(people.alice.school, on_concern=OnConcern.HOLD, help_words="Call us.")
    Question.objects.update(kind="short", **KINDS["short"])
    model.enqueue(json.dumps({"verdict": "partly", "missing": [WORRYING], "citations": [1]}))
    client, _ = come_in(link)
    answered = practise(client, link, plan, "Protons are given.")
    shown = client.get(answered["Location"]).content.decode()
    assert "Call us." in shown and WORRYING not in shown
    flag = Flag.objects.get()
    assert flag.is_of_answer and flag.was_held and WORRYING in flag.practised
