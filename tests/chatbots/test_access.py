"""A stream ends, in words, when its reader may not read any more; the answer is written on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chatbots.answering.request import NOT_SERVED
from chatbots.models import Chatbot, ChatbotRole, Collaborator, Message, MessageStatus
from chatbots.sharing.colleagues import share_with, stop_sharing
from chatbots.sharing.revocation import delete_chatbot
from chatbots.streaming import access, jobs, registry
from chatbots.streaming.outcomes import Failure, load_outcome
from schools.models import AccessToken, Membership, User
from schools.services import remove_member
from tests.chatbots.programs import QUESTION, ask, post, read_events
from tests.factories import Cast, finish_answers, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
Loss = Callable[[Cast, Client], Any]


@pytest.fixture
def silence() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()
    finish_answers()


LOSSES: dict[str, Loss] = {
    "removed": lambda people, _: people.alice.delete(),
    "deactivated": lambda people, _: User.objects.filter(pk=people.alice.user_id).update(is_active=False),
    "signed out": lambda _, browser: browser.logout(),
}


def follow_as_colleague(people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event) -> tuple[Any, Message]:
    """The stream of an answer to Bob, with whom Alice shares the chatbot, and its message."""
    share_with(chatbot=chatbot, owner=people.alice, colleague=people.bob, role=ChatbotRole.READER)
    browser = Client()
    browser.force_login(people.bob.user)
    model.enqueue(["Half of it ", silence, "and all [1]."])
    message = make_message(people.bob, chatbot, QUESTION, answered=False)
    jobs.start(message)
    wait_for(lambda: any("Half" in job.state.text for job in registry.jobs.values()))
    return browser.get(reverse("chatbots:stream", args=[message.pk])), message


ENDS: dict[str, Callable[[Cast, Chatbot], Any]] = {
    "not shared": lambda people, _: stop_sharing(Collaborator.objects.get()),
    "colleague left": lambda people, _: remove_member(membership=people.bob),
    "owner left": lambda people, _: remove_member(membership=people.alice),
    "deleted": lambda _, chatbot: delete_chatbot(chatbot),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_colleagues_stream_ends_at_once_and_so_does_the_answer(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event, how: str
) -> None:
    Membership.objects.filter(pk=people.carol.pk).update(role="admin")
    response, message = follow_as_colleague(people, chatbot, model, silence)
    losing = later(0.5, lambda: ENDS[how](people, chatbot))
    *_, (name, data) = asyncio.run(read(response.streaming_content))
    losing.join()
    assert not silence.is_set(), "the model has not been waited for"
    assert name == "done"
    assert "Half" not in data
    assert NOT_SERVED in data
    assert Message.objects.get(pk=message.pk).status == MessageStatus.STOPPED
    told = Client()
    told.force_login(people.bob.user)
    assert told.get(reverse("chatbots:chat", args=[message.chat_id])).status_code in (403, 404)


def test_a_colleagues_stream_ends_even_if_nobody_noticed(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    """As where the row went without a signal: the readers of open streams are checked."""
    response, _ = follow_as_colleague(people, chatbot, model, silence)
    losing = later(0.5, lambda: Collaborator.objects.all()._raw_delete("default"))
    *_, (name, data) = asyncio.run(read(response.streaming_content))
    losing.join()
    assert name == "fault"
    assert "no longer shared with you" in data


def test_a_program_of_a_colleague_gets_no_more(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    response, message = follow_as_colleague(people, chatbot, model, silence)
    stop_sharing(Collaborator.objects.get())
    found = load_outcome(message.pk)
    assert isinstance(found, Failure)
    assert found.status == 404
    assert "Half" not in found.detail
    response.close()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("is_here", [True, False], ids=["here", "elsewhere"])
def test_a_page_is_told_while_the_model_still_thinks(
    people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event, loss: str, is_here: bool
) -> None:
    browser = Client()
    browser.force_login(people.alice.user)
    model.enqueue(["Half of it ", silence, "and all [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    if is_here:
        jobs.start(message)
        wait_for(lambda: any("Half" in job.state.text for job in registry.jobs.values()))
    else:
        Message.objects.filter(pk=message.pk).update(
            status=MessageStatus.WRITING, heartbeat_at=timezone.now() + timedelta(minutes=1)
        )
    response: Any = browser.get(reverse("chatbots:stream", args=[message.pk]))
    losing = later(0.5, lambda: LOSSES[loss](people, browser))
    *_, (name, data) = asyncio.run(read(response.streaming_content))
    losing.join()
    assert bool(registry.jobs) == is_here, "the answer is written on"
    assert access.ACCESS_CHECK_SECONDS <= 5, "a page is told within ten seconds"
    assert name == "fault"
    assert "you left this school" in data
    silence.set()
    finish_answers()
    if is_here:
        assert Message.objects.get(pk=message.pk).answer == "Half of it and all [1]."


def test_nobody_else_is_sent_away(people: Cast, chatbot: Chatbot, model: Model, silence: threading.Event) -> None:
    browser = Client()
    browser.force_login(people.alice.user)
    model.enqueue(["Half of it ", silence, "and all [1]."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    jobs.start(message)
    response: Any = browser.get(reverse("chatbots:stream", args=[message.pk]))
    people.bob.delete()
    threading.Timer(access.ACCESS_CHECK_SECONDS + 1, silence.set).start()
    names = [name for name, _ in asyncio.run(read(response.streaming_content))]
    assert names.count("done") == 1 and names[-1] == "done"


@pytest.mark.needs("openai_api")
@pytest.mark.parametrize("openai", [False, True], ids=["api", "openai"])
def test_a_program_is_told_when_its_token_is_revoked(
    alice: Client, chatbot: Chatbot, model: Model, silence: threading.Event, openai: bool
) -> None:
    model.enqueue(["Half of it ", silence, "and all [1]."])

    def revoke() -> None:
        wait_for(lambda: any("Half" in job.state.text for job in registry.jobs.values()))
        AccessToken.objects.update(revoked_at=timezone.now())

    revoking = later(0, revoke)
    if openai:
        body = {"model": str(chatbot.pk), "messages": [{"role": "user", "content": QUESTION}], "stream": True}
        sent: Any = post(alice, "openai/chat/completions", body)
        *_, (data, _) = asyncio.run(read(sent.streaming_content))
        assert "your access token ended" in data
    else:
        name, problem = read_events(ask(alice, chatbot, stream=True))[-1]
        assert (name, problem["status"]) == ("error", 403)
        assert "your access token ended" in problem["detail"]
    revoking.join()


def test_a_program_that_waits_for_the_whole_is_told_too(
    alice: Client, chatbot: Chatbot, model: Model, silence: threading.Event
) -> None:
    model.enqueue(["Half of it ", silence, "and all [1]."])

    def revoke() -> None:
        wait_for(lambda: any("Half" in job.state.text for job in registry.jobs.values()))
        AccessToken.objects.update(revoked_at=timezone.now())

    revoking = later(0, revoke)
    response = ask(alice, chatbot)
    revoking.join()
    assert response.status_code == 403
    assert "your access token ended" in response.json()["detail"]


def later(seconds: float, act: Callable[[], Any]) -> threading.Timer:
    """Somebody else does that, on a connection that is given back."""

    def done() -> None:
        try:
            act()
        finally:
            connection.close()

    timer = threading.Timer(seconds, done)
    timer.start()
    return timer


async def read(content: Any) -> list[tuple[str, str]]:
    text = b"".join([part async for part in content]).decode()
    parts = [part.partition("\n") for part in text.split("\n\n") if part]
    return [(name.removeprefix("event: "), data) for name, _, data in parts]
