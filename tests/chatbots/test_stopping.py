"""A reader stops an answer: it ends at once, and what was seen of it stays (C9)."""

import threading
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.answering import finalize, recorder
from chatbots.answering.draft import Event, Kind
from chatbots.conversations.asking import ask_again
from chatbots.models import Chatbot, Message, MessageStatus
from chatbots.streaming import jobs, registry, ticker
from tests.answering_here import record_here
from tests.factories import Cast, answer, finish_answers, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
QUESTION = "How strong may hydrochloric acid be?"


@pytest.fixture
def silence() -> Iterator[threading.Event]:
    """What a silent model waits for; broken at the end of a test."""
    event = threading.Event()
    yield event
    event.set()
    finish_answers()


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


def begun(people: Cast, chatbot: Chatbot, text: str) -> Message:
    """A question whose answer has been written so far."""
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    jobs.start(message)
    wait_for(lambda: message.pk in registry.jobs and registry.jobs[message.pk].state.text == text)
    return message


def test_an_answer_stops_while_the_model_is_silent_and_keeps_what_was_seen(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    make_message(people.alice, chatbot, QUESTION)
    year9 = next(one.number for one in model.history[-1].passages if "0.5 mol/l" in one.text)
    written = f"For year 9 the hydrochloric acid is kept at 0.5 mol/l [{year9}]. Dr Zorro"
    model.enqueue([f"{written} ", silence, "said so."])
    message = begun(people, chatbot, written)
    url = reverse("chatbots:stop", args=[message.pk])
    shown = alice.post(url, headers={"HX-Request": "true"}).content.decode()
    assert not silence.is_set(), "the model has not been waited for"
    message.refresh_from_db()
    assert (message.status, message.answer) == (MessageStatus.STOPPED, written)
    assert (message.mode, message.model) == ("grounded", "Scripted model")
    assert list(message.sources.filter(is_cited=True).values_list("number", flat=True)) == [year9]
    assert message.support["0"][0] == "supported"
    assert [message.answer[start:end] for start, end in message.unfounded] == ["Zorro"]
    assert "You stopped this answer." in shown
    assert "Answer again" in shown
    assert "data-finished" in shown
    silence.set()
    finish_answers()
    message.refresh_from_db()
    assert (message.status, message.answer) == (MessageStatus.STOPPED, written)


def test_whoever_reads_along_is_told_at_once(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    from tests.chatbots.test_live import follow

    model.enqueue(["Half of it ", silence, "and all."])
    message = begun(people, chatbot, "Half of it")
    states = follow(message, lambda: jobs.stop(message.pk))
    assert not silence.is_set()
    assert (states[-1].text, states[-1].is_done) == ("Half of it", True)


def test_the_model_is_left_alone_when_it_goes_on(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    asked_for = threading.Event()
    model.enqueue(["Half of it ", silence, "and more ", asked_for, "and all."])
    message = begun(people, chatbot, "Half of it")
    jobs.stop(message.pk)
    silence.set()
    finish_answers()  # would take half a minute if the rest were waited for
    assert not asked_for.is_set()
    assert message.pk not in registry.jobs


def test_an_answer_that_another_process_writes_stops_too(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    """Of that process only the row is known, which is a beat behind what its readers have seen."""
    model.enqueue(["Half of it [1] ", silence, "and all."])
    message = begun(people, chatbot, "Half of it [1]")
    Message.objects.filter(pk=message.pk).update(answer="Half", status=MessageStatus.STOPPED)
    job = registry.jobs[message.pk]
    wait_for(lambda: job.over)
    message.refresh_from_db()
    assert (message.status, message.answer) == (MessageStatus.STOPPED, "Half of it [1]")
    assert message.sources.get(is_cited=True).number == 1


def test_a_stop_before_the_first_word_keeps_the_question(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    jobs.stop(message.pk)
    assert list(answer(message.pk)) == []
    message.refresh_from_db()
    assert (message.status, message.answer) == (MessageStatus.STOPPED, "")
    assert QUESTION in alice.get(reverse("chatbots:turn", args=[message.pk])).content.decode()


def test_a_stop_while_sources_are_looked_for_leaves_none_behind(people: Cast, chatbot: Chatbot, model: Model) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    message = make_message(people.alice, chatbot, "And in year 10?", chat=first.chat, answered=False)
    asked = threading.Event()
    model.enqueue_rewriting([asked, QUESTION])
    jobs.start(message)
    wait_for(lambda: len(model.asked_to_rewrite) == 1)
    jobs.stop(message.pk)
    asked.set()
    finish_answers()
    message.refresh_from_db()
    assert message.status == MessageStatus.STOPPED
    assert not message.sources.exists()


def test_a_stop_that_comes_too_late_changes_nothing(
    people: Cast, alice: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    response = alice.post(reverse("chatbots:stop", args=[message.pk]))
    assert response.headers["Location"] == reverse("chatbots:chat", args=[message.chat_id])
    before = message.answer
    message.refresh_from_db()
    assert (message.status, message.answer, message.notice) == (MessageStatus.DONE, before, "")


def test_a_stopped_answer_is_no_history_and_another_can_be_given(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    model.enqueue(["Stopped [1] ", silence, "."], "Whole [1].")
    message = begun(people, chatbot, "Stopped [1]")
    jobs.stop(message.pk)
    later = make_message(people.alice, chatbot, f"{QUESTION} In year 10?", chat=message.chat)
    assert len(model.history[-1].messages) == 2
    assert ask_again(message=later) != later


def test_only_its_owner_stops_an_answer(people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event) -> None:
    model.enqueue(["Half of it ", silence, "and all [1]."])
    message = begun(people, chatbot, "Half of it")
    for member in (people.bob, people.carol, people.charlie):
        client = Client()
        client.force_login(member.user)
        assert client.post(reverse("chatbots:stop", args=[message.pk])).status_code == 404
    silence.set()
    finish_answers()
    message.refresh_from_db()
    assert message.status == MessageStatus.DONE


def test_a_turn_that_is_written_can_be_stopped_without_scripts(people: Cast, alice: Client, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    shown = alice.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    assert f'action="{reverse("chatbots:stop", args=[message.pk])}"' in shown


def test_a_silent_models_text_is_saved_and_its_writer_lives(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nobody reads."""
    monkeypatch.setattr(ticker, "BEATS", 1)
    model.enqueue(["Half of it ", silence, "and all [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    job = jobs.start(message)
    row = Message.objects.filter(pk=message.pk)
    wait_for(lambda: row.get().answer == "Half of it")
    Message.objects.filter(pk=message.pk).update(heartbeat_at="2020-01-01T00:00Z")
    wait_for(lambda: row.get().heartbeat_at.year > 2020)
    assert jobs.interrupt_abandoned() == 0
    silence.set()
    job.result.result(60)
    assert row.get().answer == "Half of it and all [1]."


@pytest.mark.parametrize("ended", ["stopped", "erased"])
def test_no_model_is_asked_for_an_answer_that_has_ended(
    people: Cast,
    chatbot: Chatbot,
    model: Model,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    ended: str,
) -> None:
    found, goes_on, add = threading.Event(), threading.Event(), registry.AnswerJob.add

    def add_and_wait(job: registry.AnswerJob, event: Event) -> None:
        add(job, event)
        if event.kind == Kind.SOURCES:
            found.set()
            goes_on.wait(60)

    monkeypatch.setattr(ticker, "BEATS", 1)
    monkeypatch.setattr(registry.AnswerJob, "add", add_and_wait)
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    job = jobs.start(message)
    assert found.wait(60)
    if ended == "stopped":
        jobs.stop(message.pk)
    else:
        message.chat.delete()
        wait_for(lambda: job.over)
    goes_on.set()
    finish_answers()
    assert not model.history
    assert not caplog.records, "nothing has gone wrong"


def test_a_stopped_answer_that_cannot_be_put_right_keeps_no_other_from_being_saved(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(message_id: UUID, seen: str) -> None:
        raise RuntimeError("This row cannot be read.")

    monkeypatch.setattr(finalize, "keep_seen", fails)
    going_on = threading.Event()
    model.enqueue(["Half of it ", silence, "."])
    over = begun(people, chatbot, "Half of it")
    model.enqueue(["One ", going_on, "and two ", silence, "."])
    other = begun(people, chatbot, "One")
    job = registry.jobs[over.pk]
    Message.objects.filter(pk=over.pk).update(status=MessageStatus.STOPPED)
    wait_for(lambda: job.over)
    going_on.set()
    wait_for(lambda: Message.objects.get(pk=other.pk).answer == "One and two")


def test_an_answer_that_ended_while_its_sources_were_found_keeps_none(
    people: Cast, chatbot: Chatbot, model: Model
) -> None:
    """Where its writer has not learnt of it yet."""
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    claimed = recorder.claim(message.pk)
    assert claimed
    Message.objects.update(status=MessageStatus.STOPPED)
    assert list(record_here(recorder.Recorder(claimed))) == []
    assert not message.sources.exists()
    assert not model.history
