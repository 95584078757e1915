"""A web process that is asked to end leaves no answer behind that seems to be written still."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings

from chatbots.models import Message, MessageStatus
from operations.supervisor import web_arguments
from tests.factories import cast, make_helper, make_token
from tests.peers import DONE, Reply, chat_peer, delta
from tests.running import free_port, wait_for
from tests.workers import environment


@pytest.mark.django_db(transaction=True)
def test_answers_are_interrupted_with_the_text_so_far_and_their_readers_are_told(tmp_path: Path) -> None:
    people = cast()
    chatbot = make_helper(people)
    secret, port, hold = make_token(people.alice, write=True), free_port(), threading.Event()
    with chat_peer() as peer, (tmp_path / "web.log").open("wb") as log:
        peer.replies = [Reply((delta("Half of it [1] "), hold, delta("and all."), DONE))]
        web = subprocess.Popen(
            [sys.executable, *web_arguments("127.0.0.1", port)],
            cwd=settings.BASE_DIR,
            env=environment(LECTERN_LLM_BASE_URL=peer.url, LECTERN_LLM_MODEL="m", LECTERN_LLM_API_KEY="k"),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(lambda: "startup complete" in (tmp_path / "web.log").read_text() or web.poll() is not None)
            reader = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            body = json.dumps({"question": "How strong may hydrochloric acid be?", "stream": True})
            headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
            reader.request("POST", f"/api/v1/chatbots/{chatbot.pk}/ask", body, headers)
            response = reader.getresponse()
            assert response.status == 200, (tmp_path / "web.log").read_text()
            while b"Half of it" not in response.readline():
                pass
            web.terminate()
            told = response.read().decode()
            web.wait(120)
        finally:
            web.kill()
            hold.set()
    message = Message.objects.get()
    assert (message.status, message.answer) == (MessageStatus.INTERRUPTED, "Half of it [1]")
    assert message.sources.get(is_cited=True).number == 1
    assert "event: error" in told
    assert "was interrupted. Your question is kept" in told
