"""Answers that one process writes and another shows: passed on through Redis, with the row as the truth."""

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
from chatbots.streaming.access import Subscriber, Watch
from chatbots.streaming.follow import of_row
from chatbots.streaming.pubsub import Delta
from chatbots.streaming.registry import AnswerJob, JobStage, Snapshot
from tests.factories import Cast, finish_answers, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


def delta(saved: str, added: str, *, revision: int = 1) -> Delta:
    """What is published of an answer with this text, of which so much is saved."""
    job = AnswerJob(uuid4(), text=saved + added, revision=revision, stage=JobStage.WRITING, saved=len(saved))
    return pubsub.delta_of(job)


@given(st.text(max_size=40), st.text(max_size=40), st.integers(0, 80))
def test_a_delta_completes_what_a_reader_has_of_the_same_text_or_is_not_used(
    saved: str, added: str, known: int
) -> None:
    new = delta(saved, added)
    assert new.text == added
    after = new.after(Snapshot((saved + added)[:known], True, False, revision=1))
    if known >= len(saved):
        assert after == Snapshot(saved + added, True, False, revision=1)
    else:
        assert after is None


@pytest.mark.parametrize("revision", [None, 1])
def test_a_delta_of_another_draft_is_not_used_but_where_it_is_whole(revision: int | None) -> None:
    known = Snapshot("The first", True, False, revision)
    assert delta("Anot", "her", revision=2).after(known) is None
    assert delta("", "Another", revision=2).after(known) == Snapshot("Another", True, False, 2)


class Elsewhere:
    """A reader as another process has it: it knows nothing of the writers here."""

    def __init__(self, message: Message) -> None:
        self.states: list[Snapshot] = []
        self.thread = threading.Thread(target=lambda: asyncio.run(self._read(message)))
        self.thread.start()

    async def _read(self, message: Message) -> None:
        async for state in of_row(message.pk, Watch(Subscriber(membership=None))):
            self.states.append(state)

    @property
    def text(self) -> str:
        return self.states[-1].text if self.states else ""


@pytest.fixture
def heard_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hears of an answer does not look at its row."""
    monkeypatch.setattr(pubsub, "FALLBACK_SECONDS", 3600)


def is_read(reader: Elsewhere, words: str) -> bool:
    return words in reader.text


def hear() -> None:
    """Wait until this process hears what is published."""

    async def listen() -> None:
        with pubsub.subscribed(uuid4()):
            for _ in range(200):
                if pubsub.delta_timeout() == pubsub.FALLBACK_SECONDS:
                    return
                await asyncio.sleep(0.05)
        raise AssertionError("Nothing is heard.")

    asyncio.run(listen())


@pytest.mark.django_db(transaction=True)
def test_a_reader_elsewhere_gets_all_that_is_written(
    people: Cast, chatbot: Chatbot, model: Model, heard_alone: None
) -> None:
    hear()
    hold = threading.Event()
    model.enqueue(["The first half ", hold, "and the second [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    reader = Elsewhere(message)
    jobs.start(message)
    wait_for(lambda: reader.text == "The first half")
    assert reader.states[-1].has_sources
    hold.set()
    finish_answers()
    reader.thread.join(120)
    assert reader.states[-1].is_finished
    assert reader.text == "The first half and the second [1]."


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_looks_at_a_row_that_is_behind_loses_nothing(
    people: Cast, chatbot: Chatbot, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pubsub, "FALLBACK_SECONDS", 0.01)
    hear()
    holds = [threading.Event() for _ in range(5)]
    parts = [part for number, hold in enumerate(holds) for part in (f"part {number} ", hold)]
    model.enqueue([*parts, "and the end [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    reader = Elsewhere(message)
    jobs.start(message)
    for number, hold in enumerate(holds):
        wait_for(partial(is_read, reader, f"part {number}"))
        hold.set()
    finish_answers()
    reader.thread.join(120)
    texts = [state.text for state in reader.states]
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))


@pytest.mark.django_db(transaction=True)
def test_a_stop_elsewhere_ends_the_reading_at_once(people: Cast, chatbot: Chatbot, heard_alone: None) -> None:
    hear()
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    Message.objects.filter(pk=message.pk).update(status=MessageStatus.WRITING, answer="Written elsewhere")
    reader = Elsewhere(message)
    wait_for(lambda: reader.text == "Written elsewhere")
    jobs.stop(message.pk)
    reader.thread.join(120)
    assert reader.states[-1].is_finished


@pytest.mark.django_db(transaction=True)
def test_without_redis_the_row_is_followed(people: Cast, chatbot: Chatbot, model: Model, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    pubsub._client.cache_clear()
    try:
        hold = threading.Event()
        model.enqueue(["The first half ", hold, "and the second [1]."])
        message = make_message(people.alice, chatbot, QUESTION, answered=False)
        reader = Elsewhere(message)
        jobs.start(message)
        wait_for(lambda: reader.text == "The first half")
        hold.set()
        finish_answers()
        reader.thread.join(120)
        assert reader.text == "The first half and the second [1]."
    finally:
        pubsub._client.cache_clear()
        pubsub._failed_at = 0.0
        connection.close()
