"""Asking by the API while others ask, the reader leaves, or the answer is stopped (T2)."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.db import connection
from django.test import AsyncClient, Client
from pytest_django import Settings

from chatbots.models import Chat, Chatbot, Message
from chatbots.streaming import jobs, registry
from tests.chatbots.programs import QUESTION, ask
from tests.factories import (
    Cast,
    finish_answers,
    make_program,
    make_token,
)
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]


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
        while not any(job.state.text for job in registry.jobs.values()):  # the view has returned long since
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
        make_program(people.alice).delete(f"/api/v1/chats/{Chat.objects.get().pk}")
        connection.close()
        go_on.set()

    deleting = threading.Thread(target=delete)
    deleting.start()
    response = ask(alice, chatbot)
    deleting.join()
    assert response.status_code == 404
    finish_answers()


def test_a_stopped_answer_is_what_there_is_of_it(alice: Client, people: Cast, chatbot: Chatbot, model: Model) -> None:
    go_on = threading.Event()
    model.enqueue(["The first half ", go_on])

    def stop() -> None:
        wait_for(lambda: any("half" in job.state.text for job in registry.jobs.values()))
        jobs.stop(Message.objects.get().pk)
        connection.close()

    stopping = threading.Thread(target=stop)
    stopping.start()
    answer = ask(alice, chatbot).json()
    stopping.join()
    go_on.set()
    finish_answers()
    assert (answer["status"], answer["answer"]) == ("stopped", "The first half")


def test_parallel_questions_are_all_answered(people: Cast, chatbot: Chatbot, settings: Settings) -> None:
    """More than the pool has connections; the model writes all at once, so nobody may hold one meanwhile."""
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    together = threading.Barrier(16)

    class Wait(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            together.wait(120)
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
