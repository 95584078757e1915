"""Many ask at once: schools take turns, and a full queue says so before anything is stored."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.answering import execution
from chatbots.answering.execution import FairQueue
from chatbots.answering.refusals import hurried_notice
from chatbots.answering.request import NOT_HERE, NOT_SERVED
from chatbots.models import Chatbot, ChatbotRole, Collaborator, Message, MessageStatus
from chatbots.sharing.colleagues import share_with
from chatbots.streaming import jobs, registry, responses
from chatbots.streaming.registry import AnswerJob, AnswerState
from engines import background
from tests.chatbots.programs import QUESTION, ask, post
from tests.factories import Cast, finish_answers, make_message, make_program, signed_in
from tests.running import wait_for
from tests.scripted import ScriptedLLM


@contextmanager
def all_threads_busy() -> Iterator[None]:
    """No thread is free for another question."""
    go_on, pool = threading.Event(), background.get_pool("before")
    held = [pool.submit(go_on.wait, 60) for _ in range(pool._max_workers)]
    try:
        yield
    finally:
        go_on.set()
        for one in held:
            one.result()


@pytest.fixture
def busy() -> Iterator[None]:
    with all_threads_busy():
        yield


@pytest.fixture
def full(settings: Settings, busy: None) -> Iterator[None]:
    settings.LECTERN_MAX_WAITING = 1
    execution.queue.submit(uuid4(), uuid4(), lambda: None)
    yield


def test_schools_take_turns_and_places_are_told_in_that_order(busy: None) -> None:
    queue, done = FairQueue(), list[UUID]()
    crowded, small = uuid4(), uuid4()
    many, one = [uuid4() for _ in range(3)], uuid4()
    for answer in many:
        queue.submit(crowded, answer, lambda answer=answer: done.append(answer))  # type: ignore[misc]
    queue.submit(small, one, lambda: done.append(one))
    places = queue.find_places()
    assert [places[answer] for answer in (many[0], one, *many[1:])] == [0, 1, 2, 3]
    assert queue.count() == 4
    for _ in range(4):
        queue._do_next()
    assert done == [many[0], one, *many[1:]]
    assert queue.count() == 0
    for _ in range(4):  # for what the pool will find nothing of
        queue.submit(small, uuid4(), lambda: None)


def test_an_old_place_is_not_told_after_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    job = AnswerJob(uuid4(), state=AnswerState(queued=2))
    places: list[dict[UUID, int]] = [{job.id: 1}, {}]

    def find_places() -> dict[UUID, int]:
        found = places.pop(0)
        if found:
            later.start()
            later.join(0.3)
        return found

    later = threading.Thread(target=registry.tell_places)
    monkeypatch.setattr(execution.queue, "find_places", find_places)
    monkeypatch.setattr(registry, "jobs", {job.id: job})
    registry.tell_places()
    later.join(60)
    assert job.state.queued == 0


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_has_begun_does_not_wait_for_questions_that_came_later(
    people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    model.enqueue("At most 1 mol/l [1].", "Yes, 1 mol/l [1].")
    hold = threading.Event()
    model.enqueue_rewriting([hold, "How strong may hydrochloric acid be for year 9?"])
    first = make_message(people.alice, chatbot, QUESTION)
    further = make_message(people.alice, chatbot, "And for year 9?", chat=first.chat, answered=False)
    jobs.start(further)
    wait_for(lambda: len(model.asked_to_rewrite) == 1)
    with all_threads_busy():
        hold.set()
        wait_for(lambda: Message.objects.get(pk=further.pk).status == MessageStatus.DONE, 15)
    finish_answers()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["not shared", "left"])
def test_a_question_whose_asker_lost_access_while_it_waited_is_not_answered(
    people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(jobs, "ACCESS_CHECK_SECONDS", 0.0)
    share_with(chatbot=chatbot, owner=people.alice, colleague=people.bob, role=ChatbotRole.READER)
    with all_threads_busy():
        signed_in(people.bob).post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": QUESTION})
        message = Message.objects.get()
        assert message.status == MessageStatus.WRITING
        if how == "left":
            type(people.bob).objects.filter(pk=people.bob.pk).update(invited_at=timezone.now())
        else:
            Collaborator.objects.all()._raw_delete("default")  # without a signal, which would stop it
    finish_answers()
    message.refresh_from_db()
    said = {"left": NOT_HERE, "not shared": NOT_SERVED}[how]
    assert (message.status, message.notice, message.answer) == (MessageStatus.FAILED, said, "")
    assert not message.sources.exists() and not model.history


@pytest.mark.django_db
@pytest.mark.parametrize("openai", [False, pytest.param(True, marks=pytest.mark.needs("openai_api"))])
def test_a_program_is_told_when_to_come_back_and_nothing_is_stored(
    people: Cast, chatbot: Chatbot, full: None, openai: bool
) -> None:
    program = make_program(people.alice)
    if openai:
        body = {"model": str(chatbot.pk), "messages": [{"role": "user", "content": QUESTION}]}
        response = post(program, "openai/chat/completions", body)
        said = response.json()["error"]["message"]
    else:
        response = ask(program, chatbot)
        said = response.json()["detail"]
    assert (response.status_code, said) == (503, jobs.BUSY)
    assert int(response["Retry-After"]) > 0
    assert not Message.objects.exists()


@pytest.mark.django_db
def test_a_page_says_so_and_keeps_what_was_typed(people: Cast, chatbot: Chatbot, full: None) -> None:
    browser = signed_in(people.alice)
    response: Any = browser.post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": QUESTION})
    assert response.status_code == 503 and int(response["Retry-After"]) > 0
    assert jobs.BUSY in response.content.decode() and QUESTION in response.content.decode()
    assert not Message.objects.exists()


@pytest.mark.django_db
def test_an_answer_is_not_given_again_either(people: Cast, chatbot: Chatbot, settings: Settings, busy: None) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    settings.LECTERN_MAX_WAITING = 1
    execution.queue.submit(uuid4(), uuid4(), lambda: None)
    for response in (
        signed_in(people.alice).post(reverse("chatbots:ask-again", args=[message.pk])),
        post(make_program(people.alice), f"messages/{message.pk}/again", {}),
    ):
        assert response.status_code == 503 and int(response["Retry-After"]) > 0
    assert Message.objects.count() == 1


@pytest.mark.django_db
def test_while_many_wait_passages_are_not_read_and_the_answer_says_so(
    people: Cast, chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "read_ms" in make_message(people.alice, chatbot, QUESTION).timings
    monkeypatch.setattr(execution, "MAX_READ_QUEUE", -1)
    message = make_message(people.alice, chatbot, QUESTION)
    assert "read_ms" not in message.timings
    assert hurried_notice("en") in message.notice


def test_a_silent_stream_is_kept_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "KEEP_ALIVE_SECONDS", 0.01)
    closed: list[bool] = []

    async def events() -> AsyncGenerator[bytes]:
        try:
            await asyncio.sleep(0.2)
            yield b"event: done\ndata: \n\n"
            await asyncio.sleep(60)
        finally:
            closed.append(True)

    async def read() -> list[bytes]:
        parts: list[bytes] = []
        stream: Any = responses.keep_alive(events())
        async for part in stream:
            parts.append(part)
            if part.startswith(b"event"):
                break
        await stream.aclose()
        return parts

    *comments, event = asyncio.run(read())
    assert set(comments) == {b": still here\n\n"} and event.startswith(b"event: done")
    assert closed == [True]
