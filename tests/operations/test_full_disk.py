"""What people and programs are told when a disk is full: in words, with 503, and nothing that was typed is lost."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.files import temp
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse

from chatbots.models import Chatbot, Message
from tests.chatbots.programs import QUESTION, ask, read_events
from tests.factories import Cast, make_program

pytestmark = pytest.mark.django_db


def fill_disk(table: str) -> None:
    """From now on this table has no room, as PostgreSQL says it: until the end of the test’s transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION"
            " 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$"
        )
        cursor.execute(f"CREATE TRIGGER no_room BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION no_room()")


@pytest.fixture
def browser(people: Cast) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(people.alice.user)
    return client


@pytest.mark.needs("openai_api")
def test_a_question_that_cannot_be_stored(people: Cast, chatbot: Chatbot, browser: Client) -> None:
    fill_disk("chatbots_message")
    page = browser.post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": QUESTION})
    assert (page.status_code, page["Retry-After"]) == (503, "10")
    assert "The disk of the server is full" in page.content.decode()
    assert "js/drafts.js" in page.content.decode()
    program = make_program(people.alice, raise_request_exception=False)
    for stream in (False, True):
        response = ask(program, chatbot, stream=stream)
        assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
        assert "The disk of the server is full" in response.json()["detail"]
    sent = {"model": str(chatbot.pk), "messages": [{"role": "user", "content": QUESTION}]}
    openai = program.post("/api/v1/openai/chat/completions", sent, content_type="application/json")
    assert openai.status_code == 503
    assert not Message.objects.exists()


def test_an_answer_that_cannot_be_stored(people: Cast, chatbot: Chatbot) -> None:
    fill_disk("chatbots_messagesource")
    program = make_program(people.alice)
    response = ask(program, chatbot)
    assert response.status_code == 503
    assert "full" in response.json()["detail"]
    name, told = read_events(ask(program, chatbot, stream=True))[-1]
    assert (name, told["status"]) == ("error", 503)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full disk")
def test_a_file_for_which_the_temporary_folder_has_no_room(
    people: Cast, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    full: Any = partial(open, "/dev/full", "w+b", buffering=0)
    monkeypatch.setattr(temp, "NamedTemporaryFile", lambda **_: full())

    def file() -> SimpleUploadedFile:
        return SimpleUploadedFile("large.txt", b"a line of twenty signs\n" * 130_000)

    page = browser.post(reverse("knowledge:upload"), {"files": file()})
    assert page.status_code == 503
    assert "The disk of the server is full" in page.content.decode()
    response = make_program(people.alice, raise_request_exception=False).post("/api/v1/documents", {"file": file()})
    assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
    assert "The disk of the server is full" in response.json()["detail"]
