"""Answers written in the background, followed by readers who come and go (C2)."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from uuid_utils.compat import uuid7

from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy
from chatbots.models import Chatbot, Message, MessageStatus
from chatbots.streaming import jobs, page_events, registry, ticker
from chatbots.streaming.access import Subscriber, Watch
from chatbots.streaming.follow import follow as follow_states
from chatbots.streaming.registry import AnswerState
from config.background_tasks import find_tasks
from engines import background
from tests.factories import Cast, answer, finish_answers, make_message
from tests.locks import end_who_waits
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
ANYBODY = Watch(Subscriber(membership=None))
QUESTION = "How strong may hydrochloric acid be?"


def follow(message: Message, then: Callable[[], object] = lambda: None) -> list[AnswerState]:
    """The states of the answer to its end. `then` is done once the first is there."""

    def do() -> None:
        then()
        connection.close()

    async def collect() -> list[AnswerState]:
        states = list[AnswerState]()
        async for state in follow_states(message.pk, ANYBODY):
            states.append(state)
            if len(states) == 1:
                await sync_to_async(do)()
        return states

    return asyncio.run(collect())


def test_a_reader_who_comes_late_gets_the_text_so_far_and_then_the_rest(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    go_on = threading.Event()
    model.enqueue(["The first half ", go_on, "and the second [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    jobs.start(message)
    wait_for(lambda: any("first half" in job.state.text for job in registry.jobs.values()))
    states = follow(message, go_on.set)
    assert states[0].text == "The first half"
    assert states[0].has_sources
    assert states[-1].is_done
    finish_answers()
    message.refresh_from_db()
    assert message.answer == "The first half and the second [1]."


def test_a_reader_in_another_process_follows_the_row(people: Cast, chatbot: Chatbot, model: Model) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    Message.objects.filter(pk=message.pk).update(
        status=MessageStatus.WRITING, answer="Written elsewhere", timings={"search_ms": 1}
    )

    def finish() -> None:
        Message.objects.filter(pk=message.pk).update(status=MessageStatus.DONE, answer="Written elsewhere, all of it")

    states = follow(message, finish)
    assert (states[0].text, states[0].has_sources, states[0].is_done) == (
        "Written elsewhere",
        True,
        False,
    )
    assert (states[-1].text, states[-1].is_done) == ("Written elsewhere, all of it", True)


@pytest.mark.parametrize("breaks", [False, True], ids=["late", "broken"])
def test_whoever_is_late_to_write_an_answer_brings_what_the_other_one_writes(
    people: Cast, chatbot: Chatbot, breaks: bool
) -> None:
    """A question sent twice, to two processes: the one that does not get it tells nobody that it is over."""
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    row = Message.objects.filter(pk=message.pk)
    taken, begins, ends = threading.Event(), threading.Event(), threading.Event()

    def elsewhere() -> None:
        with transaction.atomic():
            row.update(status=MessageStatus.WRITING, answer="Written elsewhere")
            taken.set()
            assert begins.wait(120)
        assert ends.wait(120)
        row.update(status=MessageStatus.DONE, answer="Written elsewhere, all of it")
        connection.close()

    async def read() -> list[AnswerState]:
        states = list[AnswerState]()
        async for state in follow_states(message.pk, ANYBODY):
            states.append(state)
            begins.set()
            if state.text == "Written elsewhere":
                ends.set()
        return states

    other = threading.Thread(target=elsewhere)
    other.start()
    assert taken.wait(120)
    jobs.start(message)
    if breaks:
        wait_for(lambda: end_who_waits() > 0)
    else:
        assert message.pk in registry.jobs
    states = asyncio.run(read())
    other.join()
    finish_answers()
    assert [state.text for state in states if state.is_done] == ["Written elsewhere, all of it"]


def test_whoever_is_late_to_write_an_answer_stops_it_with_the_text_that_it_has(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    Message.objects.filter(pk=message.pk).update(status=MessageStatus.WRITING, answer="Written elsewhere")
    registry.add_job(registry.AnswerJob(message.pk))  # waits for a connection
    try:
        jobs.stop(message.pk)
        assert follow(message)[-1].is_done
    finally:
        del registry.jobs[message.pk]
    message.refresh_from_db()
    assert (message.status, message.answer) == (MessageStatus.STOPPED, "Written elsewhere")


def test_a_deleted_message_ends_the_reading(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    message.chat.delete()
    assert follow(message)[-1].is_done


def test_the_stream_sends_sources_text_and_the_finished_turn(people: Cast, chatbot: Chatbot, model: Model) -> None:
    hold = threading.Event()
    model.enqueue(["It has\n", hold, "<b>0.5</b> mol/l [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    jobs.start(message)
    wait_for(lambda: any("It has" in job.state.text for job in registry.jobs.values()))
    client = Client()
    client.force_login(people.alice.user)
    response: Any = client.get(reverse("chatbots:stream", args=[message.pk]))
    assert response["Content-Type"] == "text/event-stream"
    body = asyncio.run(read(response.streaming_content, hold))
    events = [line.removeprefix("event: ") for line in body.splitlines() if line.startswith("event: ")]
    assert events[:2] == ["sources", "text"]
    assert events[events.index("done") :] == ["done"]
    texts = [json.loads(line.removeprefix("data: ")) for line in body.splitlines() if line.startswith('data: {"anew"')]
    assert texts[0] == {"anew": True, "finished": "", "unfinished": "<p>It has</p>\n"}
    assert not texts[-1]["anew"]
    assert "<p>It has\n&lt;b&gt;0.5&lt;/b&gt; mol/l" in texts[-1]["unfinished"]
    assert f'href="#note-{message.sources.get(number=1).pk}"' in texts[-1]["unfinished"]
    assert 'data: <article class="turn"' in body
    finish_answers()


def test_a_reader_of_a_process_that_died_is_told_within_a_minute(people: Cast, chatbot: Chatbot, model: Model) -> None:
    """Their event stream comes back to a new process, which knows the row alone; no worker need be free."""
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    claimed = answer(message.pk)
    next(claimed)
    row = Message.objects.filter(pk=message.pk)
    row.update(answer="Half of it [1]", heartbeat_at=timezone.now())

    def time_passes() -> None:
        row.update(heartbeat_at=timezone.now() - timedelta(seconds=ticker.ABANDONED + 1))

    states = follow(message, time_passes)
    assert (states[0].text, states[0].is_done, states[-1].is_done) == ("Half of it [1]", False, True)
    message.refresh_from_db()
    assert (message.status, message.answer) == (MessageStatus.INTERRUPTED, "Half of it [1]")
    assert message.sources.get(is_cited=True).number == 1
    assert list(message.support) == ["0"], "held against its passage like a whole answer"
    sweep = find_tasks()["chatbots.tasks.interrupt_abandoned_answers"].every
    assert isinstance(sweep, int) and ticker.ABANDONED + sweep < 60, "also for whoever looks later"


@contextmanager
def line_is_full() -> Iterator[threading.Event]:
    """As many questions are being prepared as may be at once, until the event is set."""
    go_on = threading.Event()
    pool = background.get_pool("before")
    for _ in range(pool._max_workers):
        pool.submit(go_on.wait, 40)
    try:
        yield go_on
    finally:
        go_on.set()


def test_a_question_in_line_tells_how_many_come_first(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("It has 0.5 mol/l [1].", "It has 0.5 mol/l [1].")
    first, second = (make_message(people.alice, chatbot, QUESTION, answered=False) for _ in range(2))
    client = Client()
    client.force_login(people.alice.user)
    with line_is_full() as go_on:
        for message in (first, second):
            jobs.start(message)
        assert [registry.jobs[message.pk].state.queued for message in (first, second)] == [0, 1]
        response: Any = client.get(reverse("chatbots:stream", args=[second.pk]))
        body = asyncio.run(read(response.streaming_content, go_on, at="event: queued"))
    assert "event: queued\ndata: 1 question of others first, then yours…\n" in body
    assert "event: queued\ndata: Searching your sources…\n" in body
    assert body.index("event: queued") < body.index("event: done")
    finish_answers()


def test_a_question_that_waits_for_a_slot_lives_and_can_be_stopped(
    people: Cast, chatbot: Chatbot, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ticker, "BEATS", 1)
    with line_is_full():
        message = make_message(people.alice, chatbot, QUESTION, answered=False)
        jobs.start(message)
        row = Message.objects.filter(pk=message.pk)
        assert registry.jobs[message.pk].state.queued == 0
        row.update(heartbeat_at="2020-01-01T00:00Z")
        wait_for(lambda: row.get().heartbeat_at.year > 2020)
        jobs.stop(message.pk)
    finish_answers()
    assert row.get().status == MessageStatus.STOPPED
    assert not row.get().sources.exists(), "nothing was searched for any more"
    assert not model.history


def test_faults_in_line_hold_nobody_up(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("It has 0.5 mol/l [1].")
    lost = [
        make_message(people.alice, chatbot, QUESTION, answered=False)
        for _ in range(background.get_pool("before")._max_workers + 1)
    ]
    Chatbot.objects.filter(pk=chatbot.pk).update(deleted_at=timezone.now())
    for message in lost:
        jobs.start(message)
    finish_answers()
    Chatbot.objects.filter(pk=chatbot.pk).update(deleted_at=None)
    last = make_message(people.alice, chatbot, QUESTION, answered=False)
    jobs.start(last)
    finish_answers()
    assert {message.status for message in Message.objects.filter(pk__in=[one.pk for one in lost])} == {"failed"}
    assert Message.objects.get(pk=last.pk).status == MessageStatus.DONE


def test_a_question_that_is_sent_twice_is_left_to_whoever_stored_it(people: Cast, chatbot: Chatbot) -> None:
    policy, key = MemberPolicy(people.alice), uuid7()
    stored, again = (
        asking.ask(policy=policy, chatbot=chatbot, question=QUESTION, message_id=key, is_claimed=True) for _ in range(2)
    )
    assert (stored.is_new, again.is_new) == (True, False)
    jobs.start(again)  # which may come first
    assert not registry.jobs
    jobs.start(stored)
    finish_answers()
    assert Message.objects.get(pk=key).status == MessageStatus.DONE


async def read(content: AsyncIterator[bytes], go_on: threading.Event, *, at: str = "event: text") -> str:
    """All that is sent; what holds the answer goes on when its first text, or another event, is there."""
    body = ""
    async for part in content:
        body += part.decode()
        if at in body:
            go_on.set()
    return body


def test_answers_of_many_at_once_share_a_small_pool(people: Cast, chatbot: Chatbot, model: Model) -> None:
    """Thirty writers wait for the model together; the pool of the tests lends far fewer connections."""
    hold = threading.Event()
    for _ in range(30):
        model.enqueue([hold, "Done [1]."])
    messages = [make_message(people.alice, chatbot, QUESTION, answered=False) for _ in range(30)]
    for message in messages:
        jobs.start(message)
    wait_for(lambda: len(model.history) == 30, 60)
    hold.set()
    finish_answers()
    assert Message.objects.filter(status=MessageStatus.DONE).count() == 30


@pytest.mark.parametrize("is_ours", [True, False])
def test_citations_of_growing_text_load_nothing(
    people: Cast, chatbot: Chatbot, model: Model, django_assert_num_queries: Callable[[int], Any], is_ours: bool
) -> None:
    """They are rendered in the event loop."""
    model.enqueue("It has 0.5 mol/l [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    known = Message.objects.prefetch_related("sources").get(pk=message.pk) if is_ours else None
    _, sources = page_events._with_sources(known, message.pk, lambda _: "")
    with django_assert_num_queries(0):
        grown = page_events._TextAsHTML(sources, cites=True).add("It has 0.5 mol/l [1].\n\nMore")
    assert "Source 1" in grown["finished"]
