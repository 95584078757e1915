"""A question about a single page of Wikipedia: by the API, from a cited source, and when it cannot be (W3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.answering import execution
from chatbots.models import Chatbot, Message
from chatbots.streaming import jobs
from corpus.source_kinds import SourceKind, get_kind, register
from corpus.sources import PageUnavailable, Source
from references.models import Archive
from tests.chatbots.test_five_kinds import NEW, QUESTION, allow, get_text, put, signed_in
from tests.factories import Cast, finish_answers, make_chatbot, make_program, school_document
from tests.in_memory import InMemory, in_memory
from tests.scripted import ScriptedLLM

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs("references")]

TEXT = "Hydrochloric acid is strong: at most 10 mol/l, says the page alone."
PAGE = "wikipedia:en:Hydrochloric acid"
Model = type[ScriptedLLM]


@pytest.fixture
def asked() -> Iterator[list[str]]:
    """The pages that were asked for. Each has one text, but those that are called Missing."""
    before, pages = [get_kind(value) for value in NEW], list[str]()

    def make_page_source(kind: SourceKind) -> Callable[[Any, str], Source]:
        def page(chatbot: Any, page: str) -> Source:
            pages.append(page)
            if page.endswith("Missing"):
                raise PageUnavailable("There is no such page.")
            return InMemory(kind, [TEXT])

        return page

    for kind in before:
        page = make_page_source(kind) if kind.page_source else None
        register(replace(kind, source_for=in_memory(kind, ["Acids, at most."]), page_source=page))
    yield pages
    finish_answers()
    for kind in before:
        register(kind)


@pytest.fixture
def bot(people: Cast) -> Chatbot:
    allow(people.carol, *NEW)
    return make_chatbot(people.alice, school=[school_document(people.carol)])


def ask(client: Client, chatbot: Chatbot, **body: Any) -> Any:
    url = reverse("api:ask-page", args=[chatbot.pk])
    return client.post(url, {"question": QUESTION} | body, content_type="application/json")


def test_a_program_asks_a_live_page(people: Cast, bot: Chatbot, asked: list[str], model: Model) -> None:
    model.enqueue("At most 10 mol/l [1].")
    response = ask(make_program(people.alice), bot, title="Hydrochloric acid")
    assert response.status_code == 200
    answer = json.loads(response.content)
    assert answer["page"] == {"source": "wikipedia_live", "title": "Hydrochloric acid"}
    assert (answer["answer"], answer["refused"]) == ("At most 10 mol/l [1].", False)
    assert [(one["source"], one["excerpt"]) for one in answer["sources"]] == [("wikipedia_live", TEXT)]
    assert answer["citations"][0]["number"] == 1
    assert set(asked) == {PAGE}
    text = get_text(people.alice, "chat", answer["chat_id"])
    assert "Only from the page “Hydrochloric acid”" in text
    assert "Only from the page “Hydrochloric acid”" in get_text(people.alice, "print-chat", answer["chat_id"])
    assert "*Only from the page “Hydrochloric acid”*" in get_text(people.alice, "export-chat", answer["chat_id"])


def test_the_answer_is_streamed_as_others_are(people: Cast, bot: Chatbot, asked: list[str], model: Model) -> None:
    model.enqueue("At most 10 mol/l [1].")
    response = ask(make_program(people.alice), bot, title="Hydrochloric acid", project="wikibooks", stream=True)
    assert response["Content-Type"] == "text/event-stream"
    assert asked[0] == "wikibooks:en:Hydrochloric acid"


def test_neither_the_conversation_nor_general_knowledge_counts(
    people: Cast, bot: Chatbot, asked: list[str], model: Model
) -> None:
    Chatbot.objects.update(when_unsure="general")
    model.enqueue("At most 10 mol/l [1].", "At most 10 mol/l [1].")
    first = json.loads(ask(make_program(people.alice), bot, title="Hydrochloric acid").content)
    chat = {"chat_id": first["chat_id"]}
    second = json.loads(ask(make_program(people.alice), bot, title="Hydrochloric acid", **chat).content)
    assert second["chat_id"] == first["chat_id"]
    assert [turn.role for turn in model.history[-1].messages] == ["system", "user"]
    away = ask(make_program(people.alice), bot, title="Hydrochloric acid", question="Who won the cup in 1954?", **chat)
    third = json.loads(away.content)
    assert third["page"]["title"] == "Hydrochloric acid"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"archive": "x"},
        {"archive": "x", "path": "A", "title": "A"},
        {"archive": "x", "title": "A", "project": "wikipedia"},
        {"path": "A"},
        {"title": "A", "project": "wiktionary"},
        {"title": ""},
        {"title": "A", "question": " "},
    ],
)
def test_a_body_that_names_no_page_is_refused(people: Cast, bot: Chatbot, asked: list[str], body: Any) -> None:
    assert ask(make_program(people.alice), bot, **body).status_code == 400
    assert not Message.objects.exists()


def test_what_is_not_there_or_not_allowed_is_said(people: Cast, bot: Chatbot, asked: list[str]) -> None:
    missing = ask(make_program(people.alice), bot, title="Missing")
    assert (missing.status_code, missing.json()["detail"]) == (404, "There is no such page.")
    allow(people.carol, "wikipedia_offline")
    refused = ask(make_program(people.alice), bot, title="Hydrochloric acid")
    assert refused.status_code == 403
    assert refused.json()["detail"] == "Your school does not allow live Wikipedia and Wikibooks."
    assert ask(make_program(people.bob), bot, archive=str(uuid4()), title="A").status_code == 404
    assert not Message.objects.exists()


def test_a_cited_page_is_asked_in_its_conversation(
    people: Cast,
    bot: Chatbot,
    asked: list[str],
    model: Model,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(people.alice, bot, wikipedia_live={"mode": "share", "weight": 100})
    model.enqueue("Acids [1].", "At most 10 mol/l [1].", "Again 10 mol/l [1].")
    url = reverse("api:ask", args=[bot.pk])
    alice = signed_in(people.alice)
    first = json.loads(
        make_program(people.alice).post(url, {"question": QUESTION}, content_type="application/json").content
    )
    message = Message.objects.get(pk=first["message_id"])
    source = message.sources.get()
    link = reverse("chatbots:ask-page", args=[source.pk])
    assert f'href="{link}"' in get_text(people.alice, "chat", message.chat_id)
    assert f'href="{link}"' in get_text(people.alice, "source", source.pk)
    assert "Ask “Hydrochloric acid”" in alice.get(link).content.decode()
    empty = alice.post(link, {"question": " "})
    assert (empty.status_code, "Please write a question." in empty.content.decode()) == (422, True)
    with monkeypatch.context() as full:
        full.setattr(execution.queue, "count", lambda: settings.LECTERN_MAX_WAITING)
        busy = alice.post(link, {"question": QUESTION})
    assert (busy.status_code, int(busy["Retry-After"]) > 0) == (503, True)
    assert jobs.BUSY in busy.content.decode() and QUESTION in busy.content.decode()
    assert Message.objects.count() == 1
    assert alice.post(link, {"question": QUESTION}).status_code == 302
    finish_answers()
    second = Message.objects.exclude(pk=message.pk).get()
    assert (second.chat_id, second.answer) == (message.chat_id, "At most 10 mol/l [1].")
    assert second.asked_page == {"kind": "wikipedia_live", "page": source.external_id, "title": "Hydrochloric acid"}
    alice.post(reverse("chatbots:ask-again", args=[second.pk]))
    finish_answers()
    again = Message.objects.get(version_of=second)
    assert (again.asked_page, again.answer) == (second.asked_page, "Again 10 mol/l [1].")
    allow(people.carol)
    response = alice.post(link, {"question": QUESTION})
    assert response.status_code == 403
    assert "Your school does not allow live Wikipedia" in response.content.decode()


def test_a_page_that_is_gone_before_it_is_read_fails_in_words(
    people: Cast, bot: Chatbot, asked: list[str], model: Model
) -> None:
    model.enqueue("At most 10 mol/l [1].")
    first = json.loads(ask(make_program(people.alice), bot, title="Hydrochloric acid").content)
    allow(people.carol)
    signed_in(people.alice).post(reverse("chatbots:ask-again", args=[first["message_id"]]))
    finish_answers()
    again = Message.objects.get(version_of=first["message_id"])
    assert again.status == "failed"
    assert "cannot be asked about" in again.notice


def test_an_article_of_a_real_archive_answers(people: Cast, bot: Chatbot, tmp_path: Path, model: Model) -> None:
    writer = pytest.importorskip("libzim.writer")
    archive = a_zim(writer, tmp_path / "acids.zim")
    model.enqueue("At most 10 mol/l [1].", "At most 10 mol/l [1].")
    for body in ({"archive": str(archive.pk), "title": "Hydrochloric acid"}, {"archive": archive.name, "path": "A1"}):
        response = ask(make_program(people.alice), bot, **body)
        assert response.status_code == 200, response.content
        answer = json.loads(response.content)
        assert {one["source"] for one in answer["sources"]} == {"wikipedia_offline"}
        assert answer["sources"][0]["uri"].startswith(reverse("references:read", args=[archive.pk, "A1"]))
    missing = ask(make_program(people.alice), bot, archive=archive.name, title="Zoo")
    assert (missing.status_code, "has no page “Zoo”" in missing.json()["detail"]) == (404, True)


def a_zim(writer: Any, path: Path) -> Archive:
    class Article(writer.Item):  # type: ignore[misc]
        def get_path(self) -> str:
            return "A1"

        def get_title(self) -> str:
            return "Hydrochloric acid"

        def get_mimetype(self) -> str:
            return "text/html"

        def get_contentprovider(self) -> Any:
            text = "How strong may hydrochloric acid be? Hydrochloric acid of the shop has at most 10 mol/l. " * 3
            return writer.StringProvider(f"<html><body><h1>Hydrochloric acid</h1><p>{text}</p></body></html>")

        def get_hints(self) -> dict[Any, int]:
            return {writer.Hint.FRONT_ARTICLE: 1}

    with writer.Creator(path).config_indexing(True, "eng") as creator:
        creator.set_mainpath("A1")
        creator.add_item(Article())
        for name, value in {"Name": "acids", "Title": "Acids", "Language": "eng", "Date": "2026-01-02"}.items():
            creator.add_metadata(name, value)
    call_command("add_zim", str(path), verbosity=0)
    return Archive.objects.get()
