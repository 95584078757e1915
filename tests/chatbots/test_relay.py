"""Answers that one process writes and another shows: told through Redis, with the row as the truth."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from chatbots.models import Chatbot, Message, MessageStatus
from chatbots.streaming import jobs, pubsub
from tests.factories import Cast, finish_answers, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_what_is_told_completes_what_a_reader_has_or_is_not_used(saved: str, added: str, seen: str) -> None:
    news = pubsub.told(uuid4(), saved + added, saved, drafts=1, has_sources=True, is_finished=False)
    assert news.rest == added
    assert news.after(saved) == saved + added
    assert news.after(saved + added) == saved + added
    completed = news.after(seen)
    assert completed in (None, saved + added)
    assert completed is not None if seen.startswith(saved) else completed is None


def test_a_new_draft_is_told_whole() -> None:
    news = pubsub.told(uuid4(), "Another", "The first", drafts=2, has_sources=True, is_finished=False)
    assert (news.begin, news.after("The first")) == (0, "Another")


class Elsewhere:
    """A reader as another process has it: it knows nothing of the writers here."""

    def __init__(self, message: Message) -> None:
        self.states: list[jobs.State] = []
        self.thread = threading.Thread(target=lambda: asyncio.run(self._read(message)))
        self.thread.start()

    async def _read(self, message: Message) -> None:
        async for state in jobs._follow_row(message.pk):
            self.states.append(state)

    @property
    def text(self) -> str:
        return self.states[-1].text if self.states else ""


@pytest.fixture
def told_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hears what is told does not look at the row."""
    monkeypatch.setattr(pubsub, "LOOK", 3600)


def is_read(reader: Elsewhere, words: str) -> bool:
    return words in reader.text


def hear() -> None:
    """Wait until this process hears what is told."""

    async def listen() -> None:
        with pubsub.listening(uuid4()):
            for _ in range(200):
                if pubsub.patience() == pubsub.LOOK:
                    return
                await asyncio.sleep(0.05)
        raise AssertionError("Nothing is heard.")

    asyncio.run(listen())


@pytest.mark.django_db(transaction=True)
def test_a_reader_elsewhere_is_told_of_all_that_is_written(
    people: Cast, chatbot: Chatbot, model: Model, told_alone: None
) -> None:
    hear()
    hold = threading.Event()
    model.enqueue(["The first half ", hold, "and the second [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    reader = Elsewhere(message)
    jobs.start(message.pk)
    wait_for(lambda: reader.text == "The first half")
    assert reader.states[-1].has_sources
    hold.set()
    finish_answers()
    reader.thread.join(10)
    assert reader.states[-1].is_finished
    assert reader.text == "The first half and the second [1]."


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_looks_at_a_row_that_is_behind_loses_nothing(
    people: Cast, chatbot: Chatbot, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pubsub, "LOOK", 0.01)
    hear()
    holds = [threading.Event() for _ in range(5)]
    parts = [part for number, hold in enumerate(holds) for part in (f"part {number} ", hold)]
    model.enqueue([*parts, "and the end [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    reader = Elsewhere(message)
    jobs.start(message.pk)
    for number, hold in enumerate(holds):
        wait_for(partial(is_read, reader, f"part {number}"))
        hold.set()
    finish_answers()
    reader.thread.join(10)
    texts = [state.text for state in reader.states]
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))


@pytest.mark.django_db(transaction=True)
def test_a_stop_elsewhere_ends_the_reading_at_once(people: Cast, chatbot: Chatbot, told_alone: None) -> None:
    hear()
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    Message.objects.filter(pk=message.pk).update(status=MessageStatus.WRITING, answer="Written elsewhere")
    reader = Elsewhere(message)
    wait_for(lambda: reader.text == "Written elsewhere")
    jobs.stop(message.pk)
    reader.thread.join(10)
    assert reader.states[-1].is_finished


@pytest.mark.django_db(transaction=True)
def test_without_redis_the_row_is_followed(
    people: Cast, chatbot: Chatbot, model: Model, settings: Settings
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    pubsub._client.cache_clear()
    try:
        hold = threading.Event()
        model.enqueue(["The first half ", hold, "and the second [1]."])
        message = make_message(people.alice, chatbot, QUESTION, answered=False)
        reader = Elsewhere(message)
        jobs.start(message.pk)
        wait_for(lambda: reader.text == "The first half")
        hold.set()
        finish_answers()
        reader.thread.join(10)
        assert reader.text == "The first half and the second [1]."
    finally:
        pubsub._client.cache_clear()
        connection.close()
