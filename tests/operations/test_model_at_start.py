"""The start says in the terminal whether the language model answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from operations.supervisor import Supervisor
from tests.peers import chat_peer, refusal
from tests.running import free_port


@pytest.mark.parametrize("is_there", [True, False])
def test_it_is_said_in_one_line(
    is_there: bool, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[tuple[str, str]] = []
    supervisor = Supervisor(tmp_path, "127.0.0.1", free_port(), lambda name, line: lines.append((name, line)))
    settings.LECTERN_LLM_MODEL = "llama3.1"
    for name, value in {
        "LECTERN_LLM_MODEL": "llama3.1",
        "DATABASE_URL": "postgres://nobody@127.0.0.1/none",  # neither is asked
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }.items():
        monkeypatch.setenv(name, value)
    with chat_peer() as peer:
        address = peer.url if is_there else f"http://127.0.0.1:{free_port()}/v1"
        peer.replies = [refusal(404)]
        monkeypatch.setenv("LECTERN_LLM_BASE_URL", address)
        supervisor.check_model()
    assert lines == [("model", f"llama3.1 at {address} {'is unknown there' if is_there else 'cannot be reached'}")]


def test_without_a_model_nothing_is_said(tmp_path: Path, settings: Settings) -> None:
    lines: list[str] = []
    settings.LECTERN_LLM_MODEL = ""
    Supervisor(tmp_path, "127.0.0.1", free_port(), lambda name, line: lines.append(line)).check_model()
    assert lines == []
