"""What a model wrote is done before its claims are compared with the passages, and the verdicts follow (C3)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from chatbots.answering import execution
from chatbots.answering.draft import Event, Kind
from chatbots.api.presenting import present_answer
from chatbots.conversations.export import export_answer
from chatbots.models import Chatbot, Message, MessageStatus
from chatbots.streaming import follow, jobs, registry, relay, ticker
from chatbots.streaming.access import Subscriber, Watch
from chatbots.streaming.json_events import stream_json as json_events
from chatbots.tasks import interrupt_abandoned_answers
from engines import background
from tests.chatbots.programs import QUESTION, ask, read_events
from tests.factories import Cast, answer, finish_answers, make_message, make_program, signed_in
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
DOUBTFUL = "At most 1 mol/l is allowed [1]. Dr Zorro said so [1]."
CHECKING = "Checking the answer against its sources…"


@pytest.fixture
def doubtful(people: Cast, chatbot: Chatbot, model: Model) -> Message:
    """A question whose answer names somebody whom no passage knows."""
    model.enqueue(DOUBTFUL)
    return make_message(people.alice, chatbot, QUESTION, answered=False)


def done_but_unverified(writing: Iterator[Event]) -> None:
    """Let the writer go on until the answer is done."""
    assert any(event.kind == Kind.DONE for event in writing)


def go_on(writing: Iterator[Event], after: threading.Event) -> threading.Thread:
    """Let the writer go on to the end, in a thread and after somebody has read that it is done."""

    def drain() -> None:
        after.wait(120)
        list(writing)
        connection.close()

    thread = threading.Thread(target=drain)
    thread.start()
    return thread


def time_passes(message: Message) -> None:
    long_ago = timezone.now() - timedelta(seconds=ticker.ABANDONED + 1)
    Message.objects.filter(pk=message.pk).update(finished_at=long_ago)


def read_page(member: Any, message: Message, done: threading.Event | None = None) -> list[tuple[str, str]]:
    """The events of the page's stream, to its end. `done` is set when it says so."""
    response: Any = signed_in(member).get(reverse("chatbots:stream", args=[message.pk]))

    async def read() -> str:
        whole = ""
        async for part in response.streaming_content:
            whole += part.decode()
            if done and "event: done" in whole:
                done.set()
        return whole

    found = []
    for block in asyncio.run(read()).strip("\n").split("\n\n"):
        name, _, data = block.partition("\n")
        found.append((name.removeprefix("event: "), data))
    return found


def read_doubts(message: Message) -> tuple[bool, list[str]]:
    """Whether the row is still unverified, and the words that are in no passage."""
    row = Message.objects.get(pk=message.pk)
    return row.unverified, [row.answer[start:end] for start, end in row.unfounded]


def test_the_row_is_done_before_it_is_verified(doubtful: Message) -> None:
    writing = answer(doubtful.pk)
    done_but_unverified(writing)
    row = Message.objects.get(pk=doubtful.pk)
    assert (row.status, row.answer, row.unverified) == (MessageStatus.DONE, DOUBTFUL, True)
    assert (row.support, row.unfounded) == ({}, [])
    assert [event.kind for event in writing] == [Kind.VERIFIED]
    row.refresh_from_db()
    assert not row.unverified
    assert set(row.support) == {"0", "1"}
    assert read_doubts(doubtful) == (False, ["Zorro"])


def test_quotations_have_nothing_left_to_verify(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    *_, last = answer(message.pk)
    assert last.kind == Kind.DONE and not last.unverified
    message.refresh_from_db()
    assert not message.unverified
    assert {state for state, _ in message.support.values()} == {"supported"}


def test_a_refusal_has_nothing_left_to_verify(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("I cannot answer this from the sources of this chatbot.")
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    events = list(answer(message.pk))
    assert not any(event.kind == Kind.VERIFIED for event in events)
    message.refresh_from_db()
    assert (message.mode, message.unverified) == ("refused", False)


def test_a_program_gets_verdicts_with_the_end_or_after_it(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(DOUBTFUL)
    events = read_events(ask(make_program(people.alice), chatbot, stream=True))
    names = [name for name, _ in events]
    assert names[0] == "sources"
    ends = [name for name in names if name in ("done", "verified")]
    assert ends == names[-len(ends) :] and ends in (["done"], ["done", "verified"])
    whole = events[-1][1]
    assert (whole["unverified"], whole["answer"]) == (False, DOUBTFUL)
    assert whole["citations"][0]["support"]
    finish_answers()


def test_a_program_that_reads_in_between_is_told_so_and_waits(people: Cast, doubtful: Message) -> None:
    async def read() -> list[bytes]:
        reader = Subscriber(people.alice.pk, message=doubtful.pk)
        parts = []
        async for part in json_events(doubtful.pk, reader, present=present_answer):
            parts.append(part)
            if part.startswith(b"event: done"):
                done.set()
        return parts

    done = threading.Event()
    writing = jobs.answer_now(doubtful.pk)
    done_but_unverified(writing)
    late = go_on(writing, done)
    sent = [part.decode() for part in asyncio.run(read())]
    late.join()
    assert [part.split("\n")[0] for part in sent] == [f"event: {n}" for n in ("sources", "token", "done", "verified")]
    assert '"unverified": true' in sent[-2] and '"support": null' in sent[-2]
    assert '"unverified": false' in sent[-1] and '"support": null' not in sent[-1]


def test_an_answer_that_is_waited_for_comes_with_its_verdicts(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(DOUBTFUL)
    whole = ask(make_program(people.alice), chatbot).json()
    assert not whole["unverified"]
    assert whole["citations"][0]["support"]
    finish_answers()


def test_a_page_that_opens_in_between_says_so_and_gets_the_verdicts(people: Cast, doubtful: Message) -> None:
    writing = jobs.answer_now(doubtful.pk)
    done_but_unverified(writing)
    alice = signed_in(people.alice)
    shown = alice.get(reverse("chatbots:chat", args=[doubtful.chat_id])).content.decode()
    assert CHECKING in shown and "data-finished" in shown
    assert f'sse-connect="{reverse("chatbots:stream", args=[doubtful.pk])}"' in shown
    seen = threading.Event()
    late = go_on(writing, seen)
    events = read_page(people.alice, doubtful, seen)
    late.join()
    assert [name for name, _ in events] == ["done", "verified"]
    done, verified = events[0][1], events[1][1]
    assert CHECKING in done and "Check this answer" not in done
    assert CHECKING not in verified and "Check this answer" in verified and "sse-connect" not in verified


def test_a_page_that_opens_later_gets_the_end_alone(people: Cast, doubtful: Message) -> None:
    list(jobs.answer_now(doubtful.pk))
    wait_for(lambda: doubtful.pk not in registry.jobs)
    events = read_page(people.alice, doubtful)
    assert [name for name, _ in events] == ["done"]
    assert "Check this answer" in events[0][1]


@pytest.mark.parametrize("hears", [True, False], ids=["told", "polling"])
def test_a_reader_of_another_process_gets_both(doubtful: Message, hears: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows the row, and what is published."""
    if not hears:
        monkeypatch.setattr(relay, "event_timeout", lambda: 0.05)
    states: list[follow.ReaderProgress] = []

    async def read() -> None:
        progress = follow.ReaderProgress()
        async for _ in follow.follow_elsewhere(doubtful.pk, Watch(Subscriber(membership=None)), progress):
            states.append(replace(progress))

    reader = threading.Thread(target=lambda: asyncio.run(read()))
    reader.start()
    writing = jobs.answer_now(doubtful.pk)
    done_but_unverified(writing)
    wait_for(lambda: bool(states) and states[-1].is_done)
    assert reader.is_alive(), "it waits for the verdicts"
    between = [state.is_over for state in states]
    list(writing)
    reader.join(120)
    assert not any(between)
    assert states[-1].is_over
    ended = [state.is_done for state in states]
    assert ended == sorted(ended), "what is done is never taken back"


def test_a_stop_in_between_comes_too_late(people: Cast, doubtful: Message) -> None:
    writing = jobs.answer_now(doubtful.pk)
    done_but_unverified(writing)
    job = registry.jobs[doubtful.pk]
    jobs.stop(doubtful.pk)
    assert job.is_finished and not job.is_ended
    list(writing)
    assert Message.objects.get(pk=doubtful.pk).status == MessageStatus.DONE
    assert read_doubts(doubtful) == (False, ["Zorro"])


def test_an_answer_that_is_done_is_not_ended_by_the_next_save(doubtful: Message) -> None:
    """The ticker may look between the storing of the end and its event."""
    writing = jobs.answer_now(doubtful.pk)
    next(writing)
    job = registry.jobs[doubtful.pk]
    Message.objects.filter(pk=doubtful.pk).update(status=MessageStatus.DONE)
    ticker._save([job])
    background.get_pool("after").submit(int).result()
    assert not job.over
    Message.objects.filter(pk=doubtful.pk).update(status=MessageStatus.STOPPED)
    ticker._save([job])
    wait_for(lambda: job.over)
    list(writing)


@pytest.mark.parametrize("who", ["sweep", "reader"])
def test_a_process_that_dies_in_between_leaves_it_told_and_it_is_verified_later(
    people: Cast, doubtful: Message, who: str
) -> None:
    writing = answer(doubtful.pk)  # this process knows nothing of it
    done_but_unverified(writing)
    interrupt_abandoned_answers()
    assert read_doubts(doubtful) == (True, []), "its process may live"
    row = Message.objects.get(pk=doubtful.pk)
    assert "not been checked against its sources yet" in export_answer(row)
    time_passes(doubtful)
    if who == "sweep":
        interrupt_abandoned_answers()
    else:
        assert [name for name, _ in read_page(people.alice, doubtful)] == ["done"]
    assert read_doubts(doubtful) == (False, ["Zorro"])
    row.refresh_from_db()
    assert (row.status, set(row.support)) == (MessageStatus.DONE, {"0", "1"})
    assert "not been checked" not in export_answer(row)


def test_a_writer_that_is_closed_in_between_verifies_first(doubtful: Message) -> None:
    writing: Any = answer(doubtful.pk)
    done_but_unverified(writing)
    writing.close()
    assert read_doubts(doubtful) == (False, ["Zorro"])


def test_a_process_that_shuts_down_in_between_verifies_first(
    doubtful: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "closing", threading.Event())
    writing = jobs.answer_now(doubtful.pk)
    done_but_unverified(writing)
    job = registry.jobs[doubtful.pk]
    jobs.interrupt_all()
    assert read_doubts(doubtful) == (False, ["Zorro"])
    assert job.is_ended, "no reader waits any longer"
    list(writing)
    assert Message.objects.get(pk=doubtful.pk).status == MessageStatus.DONE


def test_an_erased_answer_ends_the_reading_in_between(people: Cast, doubtful: Message) -> None:
    writing = jobs.answer_now(doubtful.pk)
    done_but_unverified(writing)
    doubtful.chat.delete()
    list(writing)
    assert not Message.objects.filter(pk=doubtful.pk).exists()
    assert not registry.jobs


def test_an_end_that_was_verified_meanwhile_comes_once() -> None:
    progress = follow.ReaderProgress("All.", has_sources=True)
    (end,) = progress.take([Event(Kind.DONE, unverified=True), Event(Kind.VERIFIED)])
    assert (end.kind, end.unverified, progress.is_over) == (Kind.DONE, False, True)


def test_an_end_waits_a_moment_for_its_verdicts() -> None:
    job, seen = registry.AnswerJob(uuid4()), list[list[Kind]]()
    job.add(Event(Kind.SOURCES))

    async def read() -> None:
        async for events in follow.follow_changes(job.id, Watch(Subscriber()), follow.ReaderProgress(), job):
            seen.append([one.kind for one in events])
            later = {1: [Event(Kind.TEXT, "All."), Event(Kind.DONE, unverified=True)], 2: [Event(Kind.VERIFIED)]}
            for event in later.get(len(seen), []):
                job.add(event)

    asyncio.run(read())
    assert seen == [[Kind.SOURCES], [Kind.TEXT], [Kind.DONE]]
