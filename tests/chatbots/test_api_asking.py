"""Asking and searching by the API (T2, T3)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.test import AsyncClient, Client
from pytest_django import Settings

from chatbots import live
from chatbots.api.serializers import AnswerSerializer
from chatbots.models import Chat, Chatbot, GivenPrompt, Message, Selection
from engines import errors
from tests.factories import (
    Cast,
    finish_answers,
    make_chatbot,
    make_message,
    make_token,
    personal_document,
    program_of,
)
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"
SELECTED = "Basalt is dark because it has much iron. It comes from volcanoes that erupt under the sea."
REFUSAL = "I cannot answer based on the selected text alone"


@pytest.fixture
def alice(people: Cast) -> Client:
    return program_of(people.alice)


def post(client: Client, url: str, body: Any, **more: Any) -> Any:
    return client.post(f"/api/v1/{url}", body, content_type="application/json", **more)


def ask(client: Client, chatbot: Chatbot, question: str = QUESTION, **more: Any) -> Any:
    return post(client, f"chatbots/{chatbot.pk}/ask", {"question": question, **more})


def events_of(response: Any) -> list[tuple[str, dict[str, Any]]]:
    """What a stream brings, read to its end."""

    async def read() -> bytes:
        return b"".join([part async for part in response.streaming_content])

    found = []
    for block in asyncio.run(read()).decode().strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_an_answer_comes_with_its_citations_and_sources(
    alice: Client, chatbot: Chatbot, settings: Settings
) -> None:
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


def test_the_next_question_goes_on_with_the_conversation(
    alice: Client, chatbot: Chatbot, people: Cast
) -> None:
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
    Chatbot.objects.update(kind="textbook")
    answer = ask(alice, chatbot, "Who won the World Cup in 1954?").json()
    assert answer["answer"] == "I cannot answer based on the textbook content"


@pytest.mark.parametrize(
    "question",
    ["", "  ", "x" * 2001, "a\x00b", "\ud800", None, ["a"]],
    ids=["empty", "blank", "long", "nul", "half", "null", "list"],
)
def test_a_question_that_cannot_be_taken_is_told_by_field(
    alice: Client, chatbot: Chatbot, question: Any
) -> None:
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


def test_a_stream_brings_sources_then_text_then_the_whole(
    alice: Client, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("Use 0.5 mol/l [1].")
    response = ask(alice, chatbot, stream=True)
    assert response["Content-Type"] == "text/event-stream"
    events = events_of(response)
    names = [name for name, _ in events]
    assert names[0] == "sources"
    assert names[-1] == "done"
    assert set(names[1:-1]) == {"token"}
    assert "".join(data["text"] for name, data in events if name == "token") == "Use 0.5 mol/l [1]."
    [(_, found), *_, (_, whole)] = events
    assert found["sources"][0]["number"] == 1
    assert found["message_id"] == whole["message_id"]
    assert whole["answer"] == "Use 0.5 mol/l [1]."
    assert whole["citations"][0]["number"] == 1


def test_a_stream_can_be_asked_for_by_its_header(alice: Client, chatbot: Chatbot) -> None:
    wish = {"Accept": "text/event-stream"}
    url = f"chatbots/{chatbot.pk}/ask"
    assert events_of(post(alice, url, {"question": QUESTION}, headers=wish))[-1][0] == "done"
    refused = post(alice, url, {"question": ""}, headers=wish)
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")


def test_a_dropped_draft_is_replaced(alice: Client, chatbot: Chatbot, model: Model) -> None:
    go_on = threading.Event()
    model.enqueue(["Without a source. ", go_on], "Use 0.5 mol/l [1].")
    response = ask(alice, chatbot, stream=True)
    threading.Timer(0.4, go_on.set).start()
    text = ""
    for name, data in events_of(response):
        if name in ("token", "text"):
            text = text + data["text"] if name == "token" else data["text"]
    assert text == "Use 0.5 mol/l [1]."


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
    name, told = events_of(streamed)[-1]
    assert (name, told["status"]) == ("error", status)


async def one_of_many(secret: str, chatbot: Chatbot) -> Any:
    """A request as the server handles it, which gives each a thread of its own."""
    async with ThreadSensitiveContext():
        client, told = AsyncClient(), {"Authorization": f"Bearer {secret}"}
        url = f"/api/v1/chatbots/{chatbot.pk}/ask"
        return await client.post(url, {"question": QUESTION}, content_type="application/json", headers=told)


def test_a_reader_who_leaves_stops_nothing(people: Cast, chatbot: Chatbot, model: Model) -> None:
    go_on = threading.Event()
    model.enqueue(["The first half ", go_on, "and the second [1]."])
    secret = make_token(people.alice, write=True)

    async def leave() -> None:
        waiting = asyncio.create_task(one_of_many(secret, chatbot))
        while not live._writings:
            assert not waiting.done(), waiting.result().content
            await asyncio.sleep(0.02)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(waiting, 20)

    asyncio.run(leave())
    go_on.set()
    wait_for(lambda: Message.objects.get().status == "done")
    finish_answers()
    assert Message.objects.get().answer == "The first half and the second [1]."


def test_an_answer_whose_conversation_is_deleted_meanwhile_is_gone(
    alice: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    go_on = threading.Event()
    model.enqueue(["The first half ", go_on, "and the second [1]."])

    def delete() -> None:
        wait_for(lambda: Message.objects.filter(status="writing").exists())
        program_of(people.alice).delete(f"/api/v1/chats/{Chat.objects.get().pk}")
        go_on.set()

    deleting = threading.Thread(target=delete)
    deleting.start()
    response = ask(alice, chatbot)
    deleting.join()
    assert response.status_code == 404
    finish_answers()


def test_a_stopped_answer_is_what_there_is_of_it(
    alice: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    go_on = threading.Event()
    model.enqueue(["The first half ", go_on])

    def stop() -> None:
        wait_for(lambda: any("half" in writing.state.text for writing in live._writings.values()))
        live.stop(Message.objects.get().pk)

    stopping = threading.Thread(target=stop)
    stopping.start()
    answer = ask(alice, chatbot).json()
    stopping.join()
    go_on.set()
    finish_answers()
    assert (answer["status"], answer["answer"]) == ("stopped", "The first half")


def test_asking_is_for_the_owner_with_a_token_that_may_write(people: Cast, chatbot: Chatbot) -> None:
    for stranger in (people.bob, people.carol, people.charlie):
        assert ask(program_of(stranger), chatbot).status_code == 404
    assert ask(program_of(people.alice, write=False), chatbot).status_code == 403
    assert ask(Client(), chatbot).status_code == 401
    assert not Message.objects.exists()


def test_a_search_gives_passages_and_stores_nothing(people: Cast, chatbot: Chatbot) -> None:
    reader = program_of(people.alice, write=False)
    found = post(reader, f"chatbots/{chatbot.pk}/search", {"query": QUESTION}).json()
    assert [one["rank"] for one in found["passages"]] == list(range(1, len(found["passages"]) + 1))
    assert {one["source"] for one in found["passages"]} == {"personal", "school"}
    first = found["passages"][0]
    assert set(first["document"]) == {"id", "title", "version"}
    assert first["excerpt"] in first["text"]
    assert 0 < first["weighted"] <= first["relevance"] <= 1
    assert set(found["timings"]) == {"embed_ms", "search_ms", "total_ms"}
    assert found["unavailable"] == []
    assert not Message.objects.exists()
    one = post(reader, f"chatbots/{chatbot.pk}/search", {"query": QUESTION, "limit": 1}).json()
    assert len(one["passages"]) == 1
    for wrong in ({"query": " "}, {"query": "a", "limit": 0}, {"query": "a", "limit": 51}, {}):
        assert post(reader, f"chatbots/{chatbot.pk}/search", wrong).status_code == 400
    assert post(program_of(people.bob), f"chatbots/{chatbot.pk}/search", {"query": "a"}).status_code == 404


def test_a_chatbot_without_sources_finds_nothing(alice: Client, people: Cast) -> None:
    empty = make_chatbot(people.alice)
    assert post(alice, f"chatbots/{empty.pk}/search", {"query": "acid"}).json()["passages"] == []


def selected(client: Client, question: str = "Why is basalt dark?", **more: Any) -> Any:
    return post(client, "ask-selection", {"question": question, "selected_text": SELECTED, **more})


def test_a_selection_answers_alone(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    response = selected(alice)
    answer = response.json()
    assert response.status_code == 200
    assert (answer["mode"], answer["refused"]) == ("selection", False)
    assert "much iron" in answer["answer"]
    [source] = answer["sources"]
    assert (source["source"], source["document"], source["excerpt"]) == ("selection", None, SELECTED)
    [citation] = answer["citations"]
    assert citation["support"] == "supported"
    message = Message.objects.get()
    assert message.selection_hash == hashlib.sha256(SELECTED.encode()).hexdigest()
    assert message.chat.chatbot is None
    too_little = selected(alice, QUESTION, chatbot_id=str(chatbot.pk)).json()
    assert (too_little["answer"], too_little["refused"], too_little["mode"]) == (REFUSAL, True, "selection")
    assert Chat.objects.get(pk=too_little["chat_id"]).chatbot == chatbot


def test_a_model_gets_nothing_but_the_selection(alice: Client, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Because of iron [1].")
    answer = selected(alice, chatbot_id=str(chatbot.pk)).json()
    assert answer["answer"] == "Because of iron [1]."
    given = json.dumps(GivenPrompt.objects.get().turns)
    assert "Basalt" in given
    assert "acid" not in given


def test_where_a_selection_is_from_must_be_within_reach(
    alice: Client, people: Cast, chatbot: Chatbot
) -> None:
    own = personal_document(people.alice, "# Rocks\n\nBasalt.\n", "rocks.md")
    answer = selected(alice, document_id=str(own.pk)).json()
    assert answer["sources"][0]["document"] == {"id": str(own.pk), "title": own.title, "version": 1}
    foreign = personal_document(people.bob, "# Bob\n\nBob.\n", "bob.md")
    bobs = make_chatbot(people.bob)
    for wrong in (
        {"document_id": str(foreign.pk)},
        {"document_id": str(uuid4())},
        {"chatbot_id": str(bobs.pk)},
        {"chatbot_id": str(uuid4())},
    ):
        assert selected(alice, **wrong).status_code == 404
    assert Selection.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", 400),
        (" \n ", 400),
        ("x" * 20_001, 400),
        ("a\x00", 400),
        ("\udfff", 400),
        ("🌋" * 20_000, 200),
        ("x" * 300_000, 413),
    ],
    ids=["empty", "blank", "long", "nul", "half", "longest", "huge"],
)
def test_the_bounds_of_a_selection(alice: Client, text: str, status: int) -> None:
    response = post(alice, "ask-selection", {"question": "Why?", "selected_text": text})
    assert response.status_code == status, response.content[:500]
    if status == 400:
        assert list(response.json()["errors"]) == ["selected_text"]
    assert Selection.objects.count() == (status == 200)


def test_a_selection_can_be_streamed(alice: Client) -> None:
    response = selected(alice, stream=True)
    names = [name for name, _ in events_of(response)]
    assert (names[0], names[-1]) == ("sources", "done")


def test_parallel_questions_are_all_answered(people: Cast, chatbot: Chatbot, settings: Settings) -> None:
    """More than the pool has connections; the model writes all at once, so nobody may hold one meanwhile."""
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    together = threading.Barrier(16)

    class Wait(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            together.wait(25)
            return True

    answers: list[list[Any]] = [["Use ", Wait(), "0.5 mol/l [1]."] for _ in range(16)]
    ScriptedLLM.enqueue(*answers)
    secret = make_token(people.alice, write=True)

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(one_of_many(secret, chatbot) for _ in range(16)))

    responses = asyncio.run(all_at_once())
    finish_answers()
    ScriptedLLM.reset()
    assert [response.status_code for response in responses] == [200] * 16
    assert {response.json()["answer"] for response in responses} == {"Use 0.5 mol/l [1]."}


def test_messages_of_others_are_not_in_an_answer(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    theirs = make_message(people.bob, make_chatbot(people.bob), "A secret of Bob's?")
    response = ask(alice, chatbot, chat_id=str(theirs.chat_id))
    assert response.status_code == 404
