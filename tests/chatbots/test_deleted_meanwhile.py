"""What is deleted in the very moment in which somebody asks it, or has a chatbot read it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, connection, models
from django.db.models.signals import post_init, post_save, pre_save
from django.dispatch import Signal
from django.test import Client
from django.urls import reverse

from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy
from chatbots.conversations.deletion import erase_chatbot
from chatbots.models import Chat, Chatbot, ChatbotPersonalDocLink, Feedback, Message
from corpus.ingestion import uploads
from knowledge.models import PersonalDocument
from rest.problems import OVERTAKEN
from tests.factories import Cast, cast, make_chatbot, make_message, make_program, personal_document

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "How strong may the acid be?"


@pytest.fixture
def people(transactional_db: None) -> Cast:
    return cast()


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    return make_chatbot(people.alice)


@pytest.fixture
def browser(people: Cast) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(people.alice.user)
    return client


@contextmanager
def meanwhile(signal: Signal, sender: type[models.Model], act: Callable[[], Any]) -> Iterator[None]:
    """Once, when the signal comes, somebody else does that; or has to wait until the other is done."""

    failed: list[BaseException] = []

    def other() -> None:
        try:
            act()
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=other)

    def once(**_: object) -> None:
        if thread.ident is None:
            thread.start()
            thread.join(0.5)

    signal.connect(once, sender=sender)
    try:
        yield
    finally:
        signal.disconnect(once, sender=sender)
        assert thread.ident, "it has never come to that"
        thread.join(120)
        assert not failed, failed


def gone(chatbot: Chatbot, *, when: Signal = pre_save, sender: type[models.Model] = Chat) -> Any:
    return meanwhile(when, sender, lambda: erase_chatbot(Chatbot.objects.get(pk=chatbot.pk)))


def test_a_program_is_told_that_the_chatbot_it_asks_is_gone(people: Cast, chatbot: Chatbot) -> None:
    program = make_program(people.alice, raise_request_exception=False)
    with gone(chatbot):
        told = program.post(f"/api/v1/chatbots/{chatbot.pk}/ask", {"question": QUESTION}, "application/json")
    assert (told.status_code, told["Content-Type"]) == (404, "application/problem+json")
    assert told.json()["detail"] == "This chatbot has been deleted meanwhile."
    assert not Message.objects.exists()


@pytest.mark.needs("openai_api")
def test_so_is_one_that_takes_it_for_a_model(people: Cast, chatbot: Chatbot) -> None:
    program = make_program(people.alice, raise_request_exception=False)
    body = {"model": str(chatbot.pk), "messages": [{"role": "user", "content": QUESTION}]}
    with gone(chatbot):
        told = program.post("/api/v1/openai/chat/completions", body, "application/json")
    assert told.status_code == 404
    assert told.json()["error"]["message"] == "This chatbot has been deleted meanwhile."


def test_a_person_finds_the_question_where_it_was_typed(browser: Client, chatbot: Chatbot) -> None:
    with gone(chatbot):
        page = browser.post(reverse("chatbots:ask-first", args=[chatbot.pk]), {"question": QUESTION})
    assert page.status_code == 422
    text = page.content.decode()
    assert "This chatbot has been deleted meanwhile." in text
    assert f">{QUESTION}</textarea>" in text


def test_a_question_about_a_text_for_a_chatbot_that_goes_is_a_conflict(people: Cast, chatbot: Chatbot) -> None:
    program = make_program(people.alice, raise_request_exception=False)
    body = {"question": QUESTION, "selected_text": "Weak.", "chatbot_id": str(chatbot.pk)}
    with gone(chatbot):
        told = program.post("/api/v1/ask-selection", body, "application/json")
    assert (told.status_code, told["Content-Type"]) == (409, "application/problem+json")
    assert told.json()["detail"] == OVERTAKEN
    assert not Chat.objects.exists()


def test_whoever_erases_a_chatbot_waits_for_the_question_and_takes_it_along(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, answered=False)

    def ask() -> None:
        with pytest.raises(asking.Gone):
            asking.ask(policy=MemberPolicy(people.alice), chatbot=chatbot, question="Why?", chat=message.chat)

    with meanwhile(post_init, Message, ask):  # while the conversations are looked for
        erase_chatbot(chatbot)
    assert not Chatbot.objects.exists()
    assert not Message.objects.exists()


def test_a_chatbot_deleted_while_its_form_is_saved_does_not_come_back(browser: Client, chatbot: Chatbot) -> None:
    sent = {"name": "Acids 9", "language": "en", "personal_weight": 60, "places": 5, "when_unsure": "refuse"}
    edit = reverse("chatbots:edit", args=[chatbot.pk])
    with gone(chatbot, when=post_init, sender=Chatbot):
        page = browser.post(edit, sent)
    text = page.content.decode()
    assert page.status_code == 422
    assert "This chatbot has been deleted meanwhile." in text
    assert 'value="Acids 9"' in text
    assert f'action="{reverse("chatbots:create")}"' in text
    assert not Chatbot.objects.exists()


def test_a_question_does_not_wait_for_the_form(people: Cast, browser: Client, chatbot: Chatbot) -> None:
    asked, was_asked = threading.Event(), []

    def ask() -> None:
        asking.ask(policy=MemberPolicy(people.alice), chatbot=chatbot, question=QUESTION)
        asked.set()

    def look(**_: object) -> None:
        was_asked.append(asked.is_set())

    sent = {"name": "Acids 9", "language": "en", "personal_weight": 60, "places": 5, "when_unsure": "refuse"}
    post_save.connect(look, sender=Chatbot)
    try:
        with meanwhile(pre_save, Chatbot, ask):
            browser.post(reverse("chatbots:edit", args=[chatbot.pk]), sent)
    finally:
        post_save.disconnect(look, sender=Chatbot)
    assert was_asked == [True]
    assert Chatbot.objects.get().name == "Acids 9"


@pytest.mark.parametrize("door", ["page", "program"])
def test_a_document_deleted_while_it_is_linked_is_not_linked(
    people: Cast, browser: Client, chatbot: Chatbot, door: str
) -> None:
    kept, lost = (personal_document(people.alice, f"# {name}", f"{name}.md", indexed=False) for name in ("a", "b"))
    program = make_program(people.alice, raise_request_exception=False)

    def link() -> Any:
        if door == "page":
            return browser.post(
                reverse("chatbots:edit", args=[chatbot.pk]),
                {
                    "name": "Acids",
                    "language": "en",
                    "personal_weight": 60,
                    "places": 5,
                    "when_unsure": "refuse",
                    "personal_documents": [kept.pk, lost.pk],
                },
            )
        body = {"personal": [str(kept.pk), str(lost.pk)], "school": []}
        return program.put(f"/api/v1/chatbots/{chatbot.pk}/sources", body, "application/json")

    with meanwhile(post_init, ChatbotPersonalDocLink, lambda: uploads.delete(lost)):
        answer = link()
    assert answer.status_code in (200, 302), answer.content
    assert not PersonalDocument.objects.filter(pk=lost.pk).exists()
    assert [link.document for link in chatbot.personal_links.all()] == [kept]


@pytest.mark.parametrize("htmx", [True, False])
def test_other_pages_say_in_words_what_has_come_in_between(
    people: Cast, browser: Client, chatbot: Chatbot, htmx: bool
) -> None:
    message = make_message(people.alice, chatbot)
    headers = {"HX-Request": "true"} if htmx else {}
    with gone(chatbot, sender=Feedback):
        page = browser.post(reverse("chatbots:feedback", args=[message.pk]), {"verdict": "up"}, headers=headers)
    assert page.status_code == 409
    assert "changed or deleted at the same moment" in page.content.decode()
    assert not Feedback.objects.exists()


@pytest.mark.parametrize("sender", [Chat, Message])
def test_no_other_fault_is_taken_for_that(people: Cast, chatbot: Chatbot, sender: type[models.Model]) -> None:
    def refuse(**_: object) -> None:
        raise IntegrityError("another rule")

    program = make_program(people.alice, raise_request_exception=False)
    post_save.connect(refuse, sender=sender)
    try:
        question = {"question": QUESTION}
        told = [
            program.post(f"/api/v1/{path}", body, "application/json")
            for path, body in (
                ("ask-selection", question | {"selected_text": "Weak."}),
                (f"chatbots/{chatbot.pk}/ask", question),
            )
        ]
    finally:
        post_save.disconnect(refuse, sender=sender)
    assert [answer.status_code for answer in told] == [500, 500]
