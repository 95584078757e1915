"""Running test questions in steps: how far it is, going on after a pause, and changes in the middle."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.evaluation.steps import continue_run, start_run
from chatbots.models import Chatbot, EvaluationRun, StartedRun, TestQuestion
from chatbots.services import set_weights
from tests.factories import Cast, make_chatbot, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    """Without documents, so that each question is refused, as is expected of it."""
    chatbot = make_chatbot(people.alice)
    for number in range(3):
        TestQuestion.objects.create(
            school=people.alice.school, chatbot=chatbot, question=f"Who won {number}?", is_refused=True
        )
    return chatbot


def step(client: Client, chatbot: Chatbot, **data: Any) -> Any:
    url = reverse("chatbots:run-checks", args=[chatbot.pk])
    return client.post(url, data, headers={"HX-Request": "true"})


def test_each_step_searches_for_some_and_the_last_one_stores_the_run(chatbot: Chatbot) -> None:
    start_run(chatbot)
    for done in (1, 2):
        started = continue_run(chatbot, seconds=0)
        assert started
        assert (started.progress_done, started.progress_total) == (done, 3)
        assert not EvaluationRun.objects.exists()
    assert continue_run(chatbot, seconds=0) is None
    assert len(EvaluationRun.objects.get().results) == 3
    assert not StartedRun.objects.exists()
    assert continue_run(chatbot, seconds=0) is None, "another page has nothing left to do"


def test_the_page_shows_how_far_it_is_and_loads_again_at_the_end(chatbot: Chatbot, people: Cast) -> None:
    alice = signed_in(people.alice)
    first = step(alice, chatbot).content.decode()
    assert 'max="3" value="0"' in first
    assert "Searching: 0 of 3" in first
    assert 'hx-trigger="load"' in first
    last = step(alice, chatbot, step=1)
    assert last["HX-Refresh"] == "true"
    assert EvaluationRun.objects.count() == 1


def test_the_time_left_is_that_of_the_questions_that_are_left(chatbot: Chatbot, people: Cast) -> None:
    start_run(chatbot)
    continue_run(chatbot, seconds=0)
    StartedRun.objects.update(progress_since=timezone.now() - timedelta(minutes=2))
    started = StartedRun.objects.get()
    assert started.time_left == "about 4 minutes left"
    page = signed_in(people.alice).get(reverse("chatbots:checks", args=[chatbot.pk])).content.decode()
    assert "Searching: 1 of 3<" in page, "a page that was left tells no time: it was not searched meanwhile"
    assert start_run(chatbot).progress_done == 1, "it goes on where it was left"
    assert StartedRun.objects.get().time_left == ""


def test_a_change_of_the_setup_or_of_a_question_starts_it_again(chatbot: Chatbot) -> None:
    start_run(chatbot)
    continue_run(chatbot, seconds=0)
    set_weights(chatbot, {"personal": 0})
    assert start_run(chatbot).progress_done == 0
    continue_run(chatbot, seconds=0)
    chatbot.test_questions.filter(question="Who won 2?").update(changed_at=timezone.now())
    assert start_run(chatbot).progress_done == 0
    continue_run(chatbot, seconds=0)
    chatbot.test_questions.filter(question="Who won 2?").delete()
    assert (started := continue_run(chatbot, seconds=0))
    assert (started.progress_done, started.progress_total) == (1, 2)


def test_without_the_script_all_run_at_once(chatbot: Chatbot, people: Cast) -> None:
    start_run(chatbot)
    url = reverse("chatbots:run-checks", args=[chatbot.pk])
    assert signed_in(people.alice).post(url).headers["Location"] == reverse("chatbots:checks", args=[chatbot.pk])
    assert EvaluationRun.objects.count() == 1
    assert not StartedRun.objects.exists()


def test_only_the_owner_takes_it_further(chatbot: Chatbot, people: Cast) -> None:
    start_run(chatbot)
    for stranger in (people.bob, people.carol, people.charlie):
        assert step(signed_in(stranger), chatbot, step=1).status_code == 404
        assert not StartedRun.objects.for_member(stranger).exists()
    assert StartedRun.objects.get().progress_done == 0
