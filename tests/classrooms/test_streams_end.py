"""The stream of an answer to a pupil ends with the class: what is written afterwards is not sent any more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from chatbots.answering.request import NOT_HERE
from chatbots.models import Chatbot, Message
from chatbots.streaming import access, jobs, registry
from classrooms import links
from classrooms.joining import pupils
from classrooms.models import ClassLink, Pupil
from tests.chatbots.test_queue import all_threads_busy
from tests.classrooms.classes import QUESTION, come_in, open_class, page
from tests.factories import Cast, finish_answers
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)


def end(pupil: Pupil) -> None:
    ClassLink.objects.update(ends_at=timezone.now() - timedelta(seconds=1))


WAYS: dict[str, Callable[[Pupil], Any]] = {
    "ends": end,
    "is paused": lambda pupil: links.pause(pupil.class_link, is_paused=True),
    "is closed": lambda pupil: links.close(pupil.class_link),
    "is closed to one pupil": lambda pupil: pupils.set_paused(pupil, is_paused=True),
    "is switched off": lambda pupil: links.allow_links(pupil.school, allowed=False),
    "has no teacher any more": lambda pupil: pupil.class_link.owner.memberships.all().delete(),
    "is outside its hours": lambda pupil: ClassLink.objects.update(weekdays=[(timezone.localtime().weekday() + 2) % 7]),
}


def test_a_question_that_waits_until_the_class_is_over_is_not_answered(
    people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "ACCESS_CHECK_SECONDS", 0.0)
    client, pupil = come_in(open_class(people.alice, chatbot))
    with all_threads_busy():
        client.post(page("new-chat", pupil.class_link, chatbot.pk), {"question": QUESTION})
        links.pause(pupil.class_link, is_paused=True)
    finish_answers()
    message = Message.objects.get()
    assert (message.status, message.answer, message.notice) == ("failed", "", NOT_HERE)
    assert not message.sources.exists() and not model.history


@pytest.mark.parametrize("way", WAYS)
def test_a_pupil_reads_no_further_when_the_class(
    way: str, people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "ACCESS_CHECK_SECONDS", 0.1)
    client, pupil = come_in(open_class(people.alice, chatbot))
    over = threading.Event()
    model.enqueue(["Half of it ", over, "and all [1]."])
    client.post(page("new-chat", pupil.class_link, chatbot.pk), {"question": QUESTION})
    wait_for(lambda: any("Half" in job.state.text for job in registry.jobs.values()))
    stream: Any = client.get(page("stream", pupil.class_link, Message.objects.get().pk))

    def change() -> None:
        wait_for(lambda: bool(access.watches))
        WAYS[way](pupil)
        connection.close()

    changing = threading.Thread(target=change)
    changing.start()
    events = b"".join(stream).decode()
    over.set()
    changing.join()
    finish_answers()
    assert "event: fault" in events and "Your class was paused or closed" in events
    assert "and all" not in events and "event: done" not in events
