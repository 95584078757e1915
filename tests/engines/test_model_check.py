"""Whether the language model answers is said in one line: with a real dead port, and with servers of all manners."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from pytest_django import Settings

from engines import model_check
from engines.model_check import find_model_problem
from tests.peers import DONE, Reply, chat_peer, delta, refusal
from tests.running import free_port

pytestmark = pytest.mark.django_db


def said(settings: Settings, address: str) -> tuple[str, int]:
    settings.LECTERN_LLM_BASE_URL, settings.LECTERN_LLM_MODEL = address, "llama3.1"
    line = StringIO()
    code = 0
    try:
        call_command("language_model", "--brief", stdout=line)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return line.getvalue(), code


def test_a_dead_port(settings: Settings) -> None:
    port = free_port()
    line, code = said(settings, f"http://alice:swordfish@127.0.0.1:{port}/v1")
    assert (line, code) == (f"llama3.1 at http://127.0.0.1:{port}/v1 cannot be reached\n", 1)


@pytest.mark.parametrize(
    ("reply", "words", "code"),
    [
        (Reply((delta("yes"), DONE)), "answers", 0),
        (Reply((delta("", finish="stop"), DONE)), "answers", 0),
        (refusal(404, "model 'llama3.1' not found"), "is unknown there", 1),
        (refusal(401), "does not answer: The language model did not accept Lectern's key", 1),
    ],
)
def test_a_server(reply: Reply, words: str, code: int, settings: Settings) -> None:
    with chat_peer() as peer:
        peer.replies = [reply]
        line, ended = said(settings, peer.url)
    assert line.startswith(f"llama3.1 at {peer.url} {words}") and line.count("\n") == 1
    assert ended == code


def test_one_that_says_nothing_is_not_waited_for(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_check, "PATIENCE", 0.1)
    with chat_peer() as peer:
        peer.replies = [Reply((1.0,))]
        assert "has not begun to answer within 0.1 seconds" in said(settings, peer.url)[0]


def test_without_a_model_nobody_is_asked(settings: Settings) -> None:
    settings.LECTERN_LLM_MODEL = ""
    line = StringIO()
    call_command("language_model", "--brief", stdout=line)
    assert "answers are quotations" in line.getvalue()
    assert find_model_problem() == ""
