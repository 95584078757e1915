"""Answers that one process writes and another shows: passed on through Redis, with the row as the truth."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from functools import partial
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from chatbots.answering.draft import Event, Kind
from chatbots.models import Chatbot, Message, MessageStatus
from chatbots.streaming import follow, jobs, relay
from chatbots.streaming.access import Subscriber, Watch
from chatbots.streaming.follow import compare_states
from chatbots.streaming.registry import AnswerJob, AnswerState
from tests.factories import Cast, finish_answers, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


TEXTS = st.text(max_size=40)


@given(TEXTS, TEXTS)
def test_changes_lead_from_what_a_reader_has_to_what_there_is(known: str, new: str) -> None:
    text, changes = known, compare_states(AnswerState(known), AnswerState(new))
    for change in changes:
        text = "" if change.kind == Kind.DROPPED else text + change.text
    assert text == new
    assert any(change.kind == Kind.DROPPED for change in changes) != new.startswith(known)


@given(TEXTS, TEXTS, st.integers(0, 80))
def test_a_state_that_is_behind_takes_nothing_away(saved: str, added: str, known: int) -> None:
    before = AnswerState((saved + added)[:known], has_sources=True)
    for after in (AnswerState(saved), AnswerState(saved + added)):
        assert follow._merge(before, after) == max(
            before, replace(after, has_sources=True), key=lambda one: len(one.text)
        )


def test_a_text_of_another_draft_replaces_what_a_reader_has() -> None:
    state = follow._merge(AnswerState("The first", has_sources=True), AnswerState("Another"))
    dropped, anew = compare_states(AnswerState("The first", has_sources=True), state)
    assert (dropped.kind, anew.text, anew.offset, state.text) == (Kind.DROPPED, "Another", 0, "Another")
    assert follow._merge(AnswerState("The first"), AnswerState("The", dropped=1)).text == "The"


def test_a_text_that_was_dropped_is_not_sent_to_whoever_comes_late() -> None:
    job = AnswerJob(uuid4())
    for event in (Event(Kind.SOURCES), Event(Kind.TEXT, "The first"), Event(Kind.DROPPED), Event(Kind.TEXT, "Another")):
        job.add(event)
    assert [(one.kind, one.text) for one in compare_states(AnswerState(), job.state)] == [
        (Kind.SOURCES, ""),
        (Kind.TEXT, "Another"),
    ]


class Elsewhere:
    """A reader as another process has it: it knows nothing of the writers here."""

    def __init__(self, message: Message) -> None:
        self.states: list[AnswerState] = []
        self.thread = threading.Thread(target=lambda: asyncio.run(self._read(message)))
        self.thread.start()

    async def _read(self, message: Message) -> None:
        async for state in follow.follow(message.pk, Watch(Subscriber()), relay.get_copy(message.pk)):
            self.states.append(state)

    @property
    def text(self) -> str:
        return self.states[-1].text if self.states else ""


@pytest.fixture
def heard_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hears of an answer does not look at its row."""
    monkeypatch.setattr(relay, "FALLBACK_SECONDS", 3600)


def is_read(reader: Elsewhere, words: str) -> bool:
    return words in reader.text


@pytest.mark.django_db(transaction=True)
def test_a_reader_elsewhere_gets_all_that_is_written(
    people: Cast, chatbot: Chatbot, model: Model, heard_alone: None
) -> None:
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
    assert reader.states[-1].is_done
    assert reader.text == "The first half and the second [1]."


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_looks_at_a_row_that_is_behind_loses_nothing(
    people: Cast, chatbot: Chatbot, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "FALLBACK_SECONDS", 0.01)
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
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    Message.objects.filter(pk=message.pk).update(status=MessageStatus.WRITING, answer="Written elsewhere")
    reader = Elsewhere(message)
    wait_for(lambda: reader.text == "Written elsewhere")
    jobs.stop(message.pk)
    reader.thread.join(120)
    assert reader.states[-1].is_done


@pytest.mark.django_db(transaction=True)
def test_without_redis_the_row_is_followed(people: Cast, chatbot: Chatbot, model: Model, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    relay._client.cache_clear()
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
        relay._client.cache_clear()
        relay._failed_at = 0.0
        connection.close()
