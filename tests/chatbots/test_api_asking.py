"""Asking by the API: what is answered, and what is not (T2)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import Settings

from chatbots.api.serializers import AnswerSerializer
from chatbots.models import Chat, Chatbot, Message
from engines import errors
from tests.chatbots.programs import QUESTION, ask, read_events
from tests.factories import (
    Cast,
    make_chatbot,
    make_message,
    make_program,
)
from tests.scripted import Finish, ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]


def test_an_answer_comes_with_its_citations_and_sources(alice: Client, chatbot: Chatbot, settings: Settings) -> None:
    settings.LECTERN_API_RATE = (100, 60)
    response = ask(alice, chatbot)
    answer = response.json()
    assert response.status_code == 200
    assert set(answer) >= set(AnswerSerializer().fields)
    assert (answer["status"], answer["mode"], answer["refused"]) == ("done", "grounded", False)
    assert "0.5 mol/l" in answer["answer"]
    assert answer["timings"]["total_ms"] > 0
    assert {source["source"] for source in answer["sources"]} == {"personal", "school"}
    cited = answer["citations"][0]
    source = next(one for one in answer["sources"] if one["number"] == cited["number"])
    assert source["cited"]
    assert cited["support"] == "supported"
    for key in ("document", "heading_path", "page", "line_range"):
        assert cited[key] == source[key]
    assert cited["heading_path"][0] in ("Year 9 acids", "Laboratory safety policy")
    start, end = cited["line_range"]
    assert 1 <= start <= end
    assert "RateLimit" in response
    message = Message.objects.get()
    assert (str(message.pk), str(message.chat_id)) == (answer["message_id"], answer["chat_id"])


def test_the_next_question_goes_on_with_the_conversation(alice: Client, chatbot: Chatbot, people: Cast) -> None:
    first = ask(alice, chatbot).json()
    second = ask(alice, chatbot, "And for year 9?", chat_id=first["chat_id"]).json()
    assert second["chat_id"] == first["chat_id"]
    assert second["searched_for"]
    other = make_chatbot(people.alice)
    for chat in (first["chat_id"], str(uuid4())):
        assert ask(alice, other, chat_id=chat).status_code == 404
    assert Chat.objects.count() == 1


def test_what_the_sources_do_not_say_is_refused(alice: Client, chatbot: Chatbot) -> None:
    answer = ask(alice, chatbot, "Who won the World Cup in 1954?").json()
    assert (answer["refused"], answer["mode"]) == (True, "refused")
    assert (answer["citations"], answer["sources"], answer["model"]) == ([], [], "")
    assert answer["near_misses"][0].keys() == {"source", "title", "where", "excerpt", "reason"}
    Chatbot.objects.update(kind="textbook")
    answer = ask(alice, chatbot, "Who won the World Cup in 1954?").json()
    assert answer["answer"] == "I cannot answer based on the textbook content"


@pytest.mark.parametrize(
    "question",
    ["", "  ", "x" * 2001, "a\x00b", "\ud800", None, ["a"]],
    ids=["empty", "blank", "long", "nul", "half", "null", "list"],
)
def test_a_question_that_cannot_be_taken_is_told_by_field(alice: Client, chatbot: Chatbot, question: Any) -> None:
    response = ask(alice, chatbot, question)
    assert response.status_code == 400
    assert list(response.json()["errors"]) == ["question"]
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    "question",
    ["ما قوة حمض الهيدروكلوريك؟", "```python\nprint(f'{x!r}')\n```\nWhat does it print? 🧪", "x" * 2000],
    ids=["right-to-left", "code", "longest"],
)
def test_a_question_in_any_script_is_kept_exactly(alice: Client, chatbot: Chatbot, question: str) -> None:
    assert ask(alice, chatbot, f"  {question}\n").json()["question"] == question
    assert Message.objects.get().question == question


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (errors.ModelUnavailable("It is down."), 502),
        (errors.ModelRateLimited("It is busy."), 503),
        (errors.ModelTimeout("It took too long."), 504),
        (ZeroDivisionError(), 500),
    ],
    ids=["down", "busy", "slow", "fault"],
)
def test_an_answer_that_failed_is_a_problem_and_the_question_is_kept(
    alice: Client, chatbot: Chatbot, model: Model, failure: Exception, status: int
) -> None:
    model.enqueue(failure, failure)
    response = ask(alice, chatbot)
    problem = response.json()
    assert (response.status_code, problem["status"]) == (status, status)
    assert response["Content-Type"] == "application/problem+json"
    message = Message.objects.get(pk=problem["message_id"])
    assert (message.question, message.status) == (QUESTION, "failed")
    assert problem["detail"] == message.notice
    streamed = ask(alice, chatbot, stream=True, chat_id=problem["chat_id"])
    assert streamed.status_code == 200
    name, told = read_events(streamed)[-1]
    assert (name, told["status"]) == ("error", status)


def test_asking_is_for_the_owner_with_a_token_that_may_write(people: Cast, chatbot: Chatbot) -> None:
    for stranger in (people.bob, people.carol, people.charlie):
        assert ask(make_program(stranger), chatbot).status_code == 404
    assert ask(make_program(people.alice, write=False), chatbot).status_code == 403
    assert ask(Client(), chatbot).status_code == 401
    assert not Message.objects.exists()


def test_messages_of_others_are_not_in_an_answer(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    theirs = make_message(people.bob, make_chatbot(people.bob), "A secret of Bob's?")
    response = ask(alice, chatbot, chat_id=str(theirs.chat_id))
    assert response.status_code == 404


def test_an_answer_that_did_not_end_by_itself_says_why(alice: Client, chatbot: Chatbot, settings: Settings) -> None:
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    ScriptedLLM.enqueue(["Use 0.5 mol/l [1].", Finish("content_filter")])
    answer = ask(alice, chatbot).json()
    assert (answer["status"], answer["finish_reason"]) == ("done", "content_filter")
    assert "content filter" in answer["notice"]
