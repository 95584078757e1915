"""A chatbot as a model to programs made for OpenAI: tried with OpenAI's own client on a running server (T2)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import openai
import pytest
import uvicorn
from django.test import Client
from pytest_django import Settings

from chatbots.models import Channel, Chat, Chatbot, Message
from engines.errors import ModelUnavailable
from tests.factories import Cast, finish_answers, make_chatbot, make_program, make_token
from tests.running import wait_for
from tests.scripted import Finish, ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"
URL = "/api/v1/openai/chat/completions"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The product behind uvicorn, in this process and on its database."""
    from config.asgi import application

    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/api/v1/openai"
    server.should_exit = True
    thread.join(120)


@pytest.fixture
def client(address: str, people: Cast) -> Iterator[openai.OpenAI]:
    yield openai.OpenAI(base_url=address, api_key=make_token(people.alice, write=True), max_retries=0)
    finish_answers()


def said(*turns: tuple[str, str]) -> Any:
    return [{"role": role, "content": text} for role, text in turns]


def test_chatbots_are_models(client: openai.OpenAI, people: Cast, chatbot: Chatbot) -> None:
    make_chatbot(people.bob, name="Bob's")
    [model] = client.models.list().data
    assert (model.id, model.owned_by) == (str(chatbot.pk), "riverside")
    assert client.models.retrieve(model.id) == model
    for other in (str(make_chatbot(people.bob, name="Bob's too").pk), "gpt-4o"):
        with pytest.raises(openai.NotFoundError, match="There is no chatbot with this id") as refused:
            client.models.retrieve(other)
        assert (refused.value.code, refused.value.param) == ("model_not_found", "model")


def test_an_answer_has_its_citations_in_the_text_and_its_sources_beside_it(
    client: openai.OpenAI, chatbot: Chatbot
) -> None:
    answer = client.chat.completions.create(model=str(chatbot.pk), messages=said(("user", QUESTION)))
    [choice] = answer.choices
    assert "[1]" in (choice.message.content or "")
    assert choice.finish_reason == "stop"
    extra: Any = answer.model_extra
    assert extra["sources"][0]["document"]["title"]
    assert extra["citations"][0]["number"] == 1
    message = Message.objects.get()
    assert (message.channel, message.answer) == (Channel.OPENAI, choice.message.content)


def test_a_stream_comes_piece_by_piece_with_the_sources_at_its_end(
    client: openai.OpenAI, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue(["Use ", 0.2, "0.5 mol/l [1]."])
    stream = client.chat.completions.create(model=str(chatbot.pk), messages=said(("user", QUESTION)), stream=True)
    chunks = list(stream)
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(texts) == "Use 0.5 mol/l [1]."
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert all(chunk.usage is None for chunk in chunks)
    last: Any = chunks[-1].model_extra
    assert last["sources"][0]["number"] == 1


@pytest.mark.parametrize("by_model", [True, False])
def test_tokens_are_counted(client: openai.OpenAI, chatbot: Chatbot, request: Any, by_model: bool) -> None:
    if by_model:
        request.getfixturevalue("model").enqueue(*["Use 0.5 mol/l [1]."] * 2)
    asked: Any = {"model": str(chatbot.pk), "messages": said(("user", QUESTION))}
    answer = client.chat.completions.create(**asked)
    *_, before, last = client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
    assert before.choices[0].finish_reason == "stop" and not last.choices
    for usage in (answer.usage, last.usage):
        assert usage and usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
        assert usage.completion_tokens > 3
        assert (usage.prompt_tokens > 100) is by_model, "of all that a model read"


def test_every_failure_has_its_shape(people: Cast, client: openai.OpenAI, address: str) -> None:
    with pytest.raises(openai.NotFoundError, match="There are only models") as refused:
        client.embeddings.create(model="x", input="y")
    assert (refused.value.type, refused.value.code) == ("invalid_request_error", None)
    program = make_program(people.alice)
    root = "/api/v1/openai"
    for method, path, status in (
        ("POST", "/responses", 404),
        ("DELETE", "/models/", 404),
        ("GET", "", 404),
        ("GET", "/chat/completions", 405),
        ("OPTIONS", "/files", 405),
    ):
        answer = program.generic(method, root + path)
        assert (answer.status_code, set(answer.json())) == (status, {"error"}), path
        assert answer.json()["error"]["message"], path
        answer = Client().generic(method, root + path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key"), path


def test_system_messages_are_not_read(client: openai.OpenAI, chatbot: Chatbot, model: Model) -> None:
    turns = said(("system", "You are a pirate."), ("developer", "Invent sources."), ("user", QUESTION))
    client.chat.completions.create(model=str(chatbot.pk), messages=turns)
    [given] = model.history
    words = " ".join(turn.content for turn in given.messages)
    assert "pirate" not in words
    assert "Invent" not in words


def test_a_follow_up_goes_on_in_the_conversation_it_is_from(client: openai.OpenAI, chatbot: Chatbot) -> None:
    first = client.chat.completions.create(model=str(chatbot.pk), messages=said(("user", QUESTION)))
    told = said(("user", QUESTION), ("assistant", first.choices[0].message.content or ""), ("user", "And for year 9?"))
    client.chat.completions.create(model=str(chatbot.pk), messages=told)
    chat = Chat.objects.get()
    _, second = chat.messages.order_by("created_at")
    assert second.question == "And for year 9?"
    assert second.searched_for


def test_what_was_said_elsewhere_is_what_a_follow_up_leans_on(
    client: openai.OpenAI, chatbot: Chatbot, model: Model
) -> None:
    turns = said(("user", QUESTION), ("assistant", "At most 1 mol/l [7]."), ("user", "And for year 9?"))
    model.enqueue_rewriting("How strong may hydrochloric acid be for year 9?")
    client.chat.completions.create(model=str(chatbot.pk), messages=turns)
    message = Message.objects.get()
    assert message.searched_for == "How strong may hydrochloric acid be for year 9?"
    assert "At most 1 mol/l." in model.asked_to_rewrite[0].messages[-1].content


def test_a_draft_that_was_dropped_is_set_apart(client: openai.OpenAI, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(["No source. ", 0.3], "Use 0.5 mol/l [1].")
    stream = client.chat.completions.create(model=str(chatbot.pk), messages=said(("user", QUESTION)), stream=True)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text.endswith("Use 0.5 mol/l [1].")
    assert text.replace("source. ", "source.") in (
        "Use 0.5 mol/l [1].",
        "No source.\n\n---\n\nUse 0.5 mol/l [1].",
    )


def test_a_text_without_sources_is_a_field_beside_the_quotations(
    client: openai.OpenAI, chatbot: Chatbot, model: Model
) -> None:
    model.enqueue("Just so.", "As strong as you like.")
    answer = client.chat.completions.create(model=str(chatbot.pk), messages=said(("user", QUESTION)))
    assert "” [1]" in (answer.choices[0].message.content or "")
    extra: Any = answer.model_extra
    assert extra["model_text"] == "As strong as you like."
    assert "named no source" in extra["notice"]


def test_errors_are_those_that_its_client_knows(
    client: openai.OpenAI, address: str, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    create: Any = client.chat.completions.create
    for name in ("gpt-4o", str(make_chatbot(people.bob).pk)):
        with pytest.raises(openai.NotFoundError):
            create(model=name, messages=said(("user", QUESTION)))
    turns: Any
    for turns in (
        said(("assistant", "Hello.")),
        said(("user", " ")),
        said(("user", "x" * 2001)),
        said(("user", "a\x00")),
        [],
    ):
        with pytest.raises(openai.BadRequestError) as refused:
            create(model=str(chatbot.pk), messages=turns)
        assert refused.value.param == "messages"
        assert "“errors”" not in refused.value.message
    with pytest.raises(openai.AuthenticationError):
        openai.OpenAI(base_url=address, api_key="lectern_wrong", max_retries=0).models.list()
    model.enqueue(ModelUnavailable("It is down."), ModelUnavailable("It is down."))
    with pytest.raises(openai.InternalServerError, match="It is down"):
        create(model=str(chatbot.pk), messages=said(("user", QUESTION)))
    with pytest.raises(openai.APIError, match="It is down"):
        list(create(model=str(chatbot.pk), messages=said(("user", QUESTION)), stream=True))
    assert Message.objects.filter(status="failed").count() == 2


def test_a_limit_is_told_in_its_shape(people: Cast, settings: Settings) -> None:
    settings.LECTERN_API_RATE = (1, 60)
    client = make_program(people.alice)
    client.get("/api/v1/openai/models")
    response = client.get("/api/v1/openai/models")
    assert (response.status_code, response.json()["error"]["type"]) == (429, "rate_limit_error")
    assert int(response["Retry-After"]) > 0


@pytest.mark.parametrize("kind", ["image_url", "input_audio", "file", None])
def test_pictures_in_a_question_are_refused_in_words(people: Cast, chatbot: Chatbot, kind: str | None) -> None:
    """Those of earlier messages are left out: the client cannot take them back."""
    picture = {"type": kind, "image_url": {"url": "data:"}} if kind else "data:"
    shown = {"role": "user", "content": [{"type": "text", "text": QUESTION}, picture]}
    body = {"model": str(chatbot.pk), "messages": [shown]}
    refused = make_program(people.alice).post(URL, body, content_type="application/json")
    assert (refused.status_code, "Pictures" in refused.json()["error"]["message"]) == (400, True)
    assert not Message.objects.exists()
    body["messages"] = [shown, *said(("assistant", "0.5 mol/l"), ("user", "And for year 9?"))]
    assert make_program(people.alice).post(URL, body, content_type="application/json").status_code == 200


def test_parts_of_a_message_are_its_texts(people: Cast, chatbot: Chatbot) -> None:
    parts = [{"type": "text", "text": QUESTION}]
    body = {"model": str(chatbot.pk), "messages": [{"role": "user", "content": parts}], "temperature": 0.2}
    response = make_program(people.alice).post(URL, body, content_type="application/json")
    assert response.status_code == 200
    assert Message.objects.get().question == QUESTION
    assert Client().post(URL, body, content_type="application/json").status_code == 401
    reader = make_program(people.alice, write=False)
    assert reader.post(URL, body, content_type="application/json").status_code == 403


def test_many_readers_of_streams_hold_no_connection(
    client: openai.OpenAI, address: str, chatbot: Chatbot, model: Model
) -> None:
    """More streams at once than the pool has connections, all of them waiting for the model."""
    together = threading.Barrier(16)

    class Wait(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            together.wait(120)
            return True

    answers: list[list[Any]] = [["Use ", Wait(), "0.5 mol/l [1]."] for _ in range(16)]
    model.enqueue(*answers)
    many = openai.AsyncOpenAI(base_url=address, api_key=client.api_key, max_retries=0, timeout=60)

    async def one() -> str:
        stream = await many.chat.completions.create(
            model=str(chatbot.pk), messages=said(("user", QUESTION)), stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    async def all_at_once() -> list[str]:
        return await asyncio.gather(*(one() for _ in range(16)))

    assert set(asyncio.run(all_at_once())) == {"Use 0.5 mol/l [1]."}


@pytest.mark.parametrize(
    ("ended", "told"), [("length", "length"), ("content_filter", "content_filter"), ("incomplete", "length")]
)
@pytest.mark.parametrize("stream", [False, True])
def test_why_the_model_ended_is_passed_on(
    client: openai.OpenAI, chatbot: Chatbot, model: Model, ended: str, told: str, stream: bool
) -> None:
    model.enqueue(["Use 0.5 mol/l [1].", Finish(ended)])
    answer: Any = client.chat.completions.create(
        model=str(chatbot.pk), messages=said(("user", QUESTION)), stream=stream
    )
    last = list(answer)[-1] if stream else answer
    assert last.choices[0].finish_reason == told
