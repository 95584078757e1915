"""What a teacher reads when the language model fails, each fault through the whole product (C8)."""

import socket

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.models import Chatbot, Message, MessageStatus
from engines import llm
from tests.factories import Cast, finish_answers
from tests.peers import DONE, HANG_UP, Reply, chat_peer, delta, refusal

pytestmark = pytest.mark.django_db
QUESTION = "How strong may hydrochloric acid be?"
HALF = (delta("Half a mo"), delta("le [1], says [9] and [2"))
KEPT = "Half a mole [1], says and"

# By name: what the model's server does, what the page then says of it, and what is kept of the answer.
FAULTS: dict[str, tuple[list[Reply], str, str]] = {
    "down": ([], "cannot be reached", ""),
    "hangs up": ([HANG_UP] * 3, "cannot be reached", ""),
    "overloaded": ([refusal(503)] * 3, "has a problem of its own", ""),
    "rate limited": ([refusal(429)], "is busy, or its quota is used up", ""),
    "silent from the start": ([Reply((2.0,))], "took too long", ""),
    "silent in the middle": ([Reply((*HALF, 2.0))], "fell silent in the middle", KEPT),
    "cut off": ([Reply(HALF, ends=False)], "broke off", KEPT),
    "garbage": ([Reply((bytes(range(256)),))], "sent something that is not an answer", ""),
    "garbage in the middle": ([Reply((*HALF, b"data: {\xff\n\n"))], "something that is not an answer", KEPT),
    "empty": ([Reply((delta("", finish="stop"), DONE))], "finished without writing an answer", ""),
}


def test_every_fault_is_said_and_nothing_is_lost(
    people: Cast, chatbot: Chatbot, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LECTERN_ANSWERER = "engines.llm.OpenAICompatible"
    settings.LECTERN_LLM_MODEL, settings.LECTERN_LLM_API_KEY = "small-model", "sk-secret"
    monkeypatch.setattr(llm, "_PAUSES_BEFORE_RETRY", (0.0, 0.0))
    client = Client()
    client.force_login(people.alice.user)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    words = set()
    with chat_peer() as peer:
        for name, (replies, said, kept) in FAULTS.items():
            wait_for_model(settings, 1 if name.startswith("silent") else 120)
            settings.LECTERN_LLM_BASE_URL = peer.url if replies else nobody
            peer.replies[:] = replies
            message, page = asked(client, reverse("chatbots:ask-first", args=[chatbot.pk]))
            assert message.status == MessageStatus.FAILED, name
            assert said in message.notice, name
            assert message.answer == kept, name
            assert [source.number for source in message.sources.filter(is_cited=True)] == ([1] if kept else [])
            assert bool(message.support) == bool(kept), name
            for shown in (message.notice, QUESTION, "Try again", 'class="note kind-'):
                assert shown in page, (name, shown)
            assert ("it was not finished" in page) == bool(kept), name
            assert "sk-secret" not in page
            words.add(message.notice)
            assert not peer.replies, f"{name}: all of it was asked for"
        assert len(words) == len(FAULTS) - 2, "a message of its own for each, but for being away, and for garbage"
        wait_for_model(settings, 120)
        settings.LECTERN_LLM_BASE_URL = peer.url
        peer.replies[:] = [Reply((0.3, delta("Slow, but "), 0.3, delta("good [1]."), DONE))]
        again, page = asked(client, reverse("chatbots:ask-again", args=[message.pk]))
        assert (again.status, again.answer, again.version_of) == (
            MessageStatus.DONE,
            "Slow, but good [1].",
            message,
        )


def wait_for_model(settings: Settings, seconds: float) -> None:
    settings.LECTERN_LLM_TIMEOUT = settings.LECTERN_LLM_CONNECT_TIMEOUT = seconds


def asked(client: Client, url: str) -> tuple[Message, str]:
    """The newest message when its answer has ended, and its conversation as the page shows it."""
    client.post(url, {"question": QUESTION})
    finish_answers()
    message = Message.objects.latest("created_at")
    return message, client.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
