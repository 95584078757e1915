"""An answer is done once its claims are compared with the passages, and never before (C3)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from chatbots.answering import execution, generation
from chatbots.answering.draft import Event, Kind
from chatbots.citations import claim_verification
from chatbots.models import Chatbot, Message, MessageStatus
from chatbots.streaming import follow, jobs, registry, relay, ticker
from chatbots.streaming.access import Subscriber, Watch
from chatbots.tasks import interrupt_abandoned_answers
from engines import background
from tests.chatbots.programs import QUESTION, ask, read_events
from tests.factories import Cast, answer, finish_answers, make_message, make_program, signed_in
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
DOUBTFUL = "At most 1 mol/l is allowed [1]. Dr Zorro said so [1]."


@pytest.fixture
def doubtful(people: Cast, chatbot: Chatbot, model: Model) -> Message:
    """A question whose answer names somebody whom no passage knows."""
    model.enqueue(DOUBTFUL)
    return make_message(people.alice, chatbot, QUESTION, answered=False)


@pytest.fixture
def comparing(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Set when claims begin to be compared with the passages, and what that waits for."""
    begun, goes_on, compare = threading.Event(), threading.Event(), claim_verification.verify_claims

    def verify_claims(*args: Any, **options: Any) -> Any:
        if not begun.is_set():
            begun.set()
            goes_on.wait(60)
        return compare(*args, **options)

    monkeypatch.setattr(generation, "verify_claims", verify_claims)
    yield begun, goes_on
    goes_on.set()
    finish_answers()


def write_text(writing: Iterator[Event]) -> None:
    """Let the writer go on until all the text is there, which nobody has checked."""
    text = ""
    while text != DOUBTFUL:
        text += next(writing).text


def read_page(member: Any, message: Message) -> list[tuple[str, str]]:
    """The events of the page's stream, to its end."""
    response: Any = signed_in(member).get(reverse("chatbots:stream", args=[message.pk]))

    async def read() -> str:
        return b"".join([part async for part in response.streaming_content]).decode()

    blocks = (block.partition("\n") for block in asyncio.run(read()).strip("\n").split("\n\n"))
    return [(name.removeprefix("event: "), data) for name, _, data in blocks]


def read_row(message: Message) -> tuple[str, list[str]]:
    """The status of the row, and the words that are in no passage."""
    row = Message.objects.get(pk=message.pk)
    return row.status, [row.answer[start:end] for start, end in row.unfounded]


def test_the_row_is_done_with_its_verdicts(doubtful: Message) -> None:
    for event in answer(doubtful.pk):
        row = Message.objects.get(pk=doubtful.pk)
        assert row.is_finished == (event.kind == Kind.DONE)
        assert bool(row.support) == row.is_finished
    assert event.kind == Kind.DONE and event.message
    assert set(row.support) == set(event.message.support) == {"0", "1"}
    assert read_row(doubtful) == ("done", ["Zorro"])


def test_quotations_are_done_with_their_verdicts(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    assert {state for state, _ in message.support.values()} == {"supported"}


def test_a_refusal_has_nothing_to_verify(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("I cannot answer this from the sources of this chatbot.")
    message = make_message(people.alice, chatbot, QUESTION)
    assert (message.mode, message.support, message.unfounded) == ("refused", {}, [])


def test_a_program_gets_the_verdicts_with_the_end(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(DOUBTFUL)
    events = read_events(ask(make_program(people.alice), chatbot, stream=True))
    names = [name for name, _ in events]
    assert names[0] == "sources" and names.index("done") == len(names) - 1
    whole = events[-1][1]
    assert (whole["answer"], whole["unfounded"]) == (DOUBTFUL, ["Zorro"])
    assert whole["citations"][0]["support"]
    finish_answers()


def test_an_answer_that_is_waited_for_comes_with_its_verdicts(people: Cast, chatbot: Chatbot, model: Model) -> None:
    model.enqueue(DOUBTFUL)
    whole = ask(make_program(people.alice), chatbot).json()
    assert whole["unfounded"] == ["Zorro"] and whole["citations"][0]["support"]
    finish_answers()


@pytest.mark.parametrize("is_late", [False, True], ids=["meanwhile", "later"])
def test_a_page_gets_the_verdicts_with_the_end(people: Cast, doubtful: Message, is_late: bool) -> None:
    jobs.start(doubtful)
    if is_late:
        finish_answers()
    events = read_page(people.alice, doubtful)
    assert [name for name, _ in events].count("done") == 1
    assert len(events) == 1 or not is_late
    name, data = events[-1]
    assert name == "done" and "Check this answer" in data and "sse-connect" not in data


def test_nobody_gets_the_end_while_claims_are_compared(
    people: Cast, doubtful: Message, comparing: tuple[threading.Event, threading.Event]
) -> None:
    begun, goes_on = comparing
    jobs.start(doubtful)
    assert begun.wait(60)
    shown = signed_in(people.alice).get(reverse("chatbots:chat", args=[doubtful.chat_id])).content.decode()
    assert "data-finished" not in shown and "sse-connect" in shown
    assert read_row(doubtful) == ("writing", [])
    assert not registry.jobs[doubtful.pk].state.is_done
    goes_on.set()
    finish_answers()
    assert read_row(doubtful) == ("done", ["Zorro"])


@pytest.mark.parametrize("hears", [True, False], ids=["told", "polling"])
def test_a_reader_of_another_process_gets_the_end_with_the_verdicts(
    doubtful: Message,
    comparing: tuple[threading.Event, threading.Event],
    hears: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It knows the row, and what is published."""
    if not hears:
        monkeypatch.setattr(relay, "get_patience", lambda: 0.05)
    states: list[registry.AnswerState] = []

    async def read() -> None:
        async for state in follow.follow(doubtful.pk, Watch(Subscriber()), relay.get_copy(doubtful.pk)):
            states.append(state)

    reader = threading.Thread(target=lambda: asyncio.run(read()))
    reader.start()
    begun, goes_on = comparing
    jobs.start(doubtful)
    assert begun.wait(60)
    wait_for(lambda: bool(states) and bool(states[-1].text))
    assert not states[-1].is_done
    goes_on.set()
    finish_answers()
    assert read_row(doubtful) == ("done", ["Zorro"])
    reader.join(120)
    assert [state.is_done for state in states].index(True) == len(states) - 1


def test_a_stop_while_claims_are_compared_stops_it_and_it_is_checked(
    doubtful: Message, comparing: tuple[threading.Event, threading.Event]
) -> None:
    begun, goes_on = comparing
    jobs.start(doubtful)
    assert begun.wait(60)
    jobs.stop(doubtful.pk)
    assert read_row(doubtful) == ("stopped", ["Zorro"])
    goes_on.set()
    finish_answers()
    assert read_row(doubtful) == ("stopped", ["Zorro"])


def test_an_answer_that_is_done_is_not_ended_by_the_next_save(people: Cast, chatbot: Chatbot, model: Model) -> None:
    """The ticker may look between the storing of the end and its event."""
    goes_on = threading.Event()
    model.enqueue(["One ", goes_on, "two [1]."])
    asked = make_message(people.alice, chatbot, QUESTION, answered=False)
    job = jobs.start(asked)
    wait_for(lambda: bool(job.state.text))
    Message.objects.filter(pk=asked.pk).update(status=MessageStatus.DONE)
    ticker._save([job])
    background.get_pool("after").submit(int).result()
    assert not job.over
    Message.objects.filter(pk=asked.pk).update(status=MessageStatus.STOPPED)
    ticker._save([job])
    wait_for(lambda: job.over)
    goes_on.set()
    finish_answers()


@pytest.mark.parametrize("who", ["sweep", "reader"])
def test_a_process_that_dies_before_the_verdicts_leaves_it_unfinished_and_it_is_verified_later(
    people: Cast, doubtful: Message, who: str
) -> None:
    writing = answer(doubtful.pk)  # this process knows nothing of it
    write_text(writing)
    Message.objects.filter(pk=doubtful.pk).update(answer=DOUBTFUL)
    interrupt_abandoned_answers()
    assert read_row(doubtful) == ("writing", []), "its process may live"
    long_ago = timezone.now() - timedelta(seconds=ticker.ABANDONED + 1)
    Message.objects.filter(pk=doubtful.pk).update(heartbeat_at=long_ago)
    if who == "sweep":
        interrupt_abandoned_answers()
    else:
        assert [name for name, _ in read_page(people.alice, doubtful)] == ["done"]
    assert read_row(doubtful) == ("interrupted", ["Zorro"])
    assert set(Message.objects.get(pk=doubtful.pk).support) == {"0", "1"}


def test_a_writer_that_is_closed_before_the_verdicts_verifies_what_there_is(doubtful: Message) -> None:
    writing: Any = answer(doubtful.pk)
    write_text(writing)
    writing.close()
    assert Message.objects.get(pk=doubtful.pk).support
    assert read_row(doubtful)[0] == "interrupted"


def test_a_process_that_shuts_down_while_claims_are_compared_interrupts_it_and_verifies_it(
    doubtful: Message, comparing: tuple[threading.Event, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "closing", threading.Event())
    begun, goes_on = comparing
    jobs.start(doubtful)
    assert begun.wait(60)
    job = registry.jobs[doubtful.pk]
    jobs.interrupt_all()
    assert read_row(doubtful) == ("interrupted", ["Zorro"])
    assert job.state.is_done, "no reader waits any longer"
    goes_on.set()
    finish_answers()
    assert read_row(doubtful) == ("interrupted", ["Zorro"])


def test_an_answer_that_is_erased_while_claims_are_compared_ends(
    doubtful: Message, comparing: tuple[threading.Event, threading.Event]
) -> None:
    begun, goes_on = comparing
    jobs.start(doubtful)
    assert begun.wait(60)
    doubtful.chat.delete()
    goes_on.set()
    finish_answers()
    assert not Message.objects.filter(pk=doubtful.pk).exists()
    assert not registry.jobs
