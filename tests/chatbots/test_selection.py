"""A question about a selected text is answered from that text alone (T3)."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.answering.refusals import REFUSAL_SENTENCES, SELECTION, is_refusal
from chatbots.answering.selected_text import choose_language
from chatbots.conversations import asking
from chatbots.insights import unanswered
from chatbots.models import Chat, Chatbot, Message, Mode, PromptRecord, Selection
from corpus import source_kinds
from schools.models import Membership
from tests.factories import Cast, answer, make_chatbot, make_message, personal_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]

TIDES = """The tide rises and falls twice a day because the Moon's gravity pulls the water of the oceans.

Spring tides, which are the highest, come when the Sun and the Moon pull in one line, at new and at full moon.
"""
GLASS = "Glass is made by melting sand with soda ash and limestone at 1700 degrees. The furnace runs day and night. "
REFUSAL = "I cannot answer based on the selected text alone"


def about(member: Membership, question: str, text: str = TIDES, **given: Any) -> Message:
    """A question about a selected text, answered to its end in this thread."""
    message = asking.ask_about_selection(member=member, question=question, text=text, **given)
    list(answer(message.pk))
    message.refresh_from_db()
    return message


def page(member: Membership, name: str, row: Any) -> str:
    client = Client()
    client.force_login(member.user)
    response = client.get(reverse(name, args=[row.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_the_answer_quotes_the_selection_and_cites_it(people: Cast) -> None:
    message = about(people.alice, "When are tides the highest?")
    assert (message.status, message.mode) == ("done", Mode.SELECTION)
    assert "“Spring tides, which are the highest, come when the Sun and the Moon pull in one line" in message.answer
    [source] = message.sources.all()
    assert (source.number, source.kind, source.is_cited) == (1, source_kinds.SELECTION.value, True)
    assert (source.text, source.document_id, source.document_title) == (TIDES.strip(), None, "Selected text")
    assert message.support["0"][0] == "supported"


def test_its_hash_and_its_text_are_stored_exactly(people: Cast) -> None:
    text = f"\t{TIDES}  مرحبا 🌊\r\n"
    message = about(people.alice, "When are tides the highest?", text)
    assert message.selection_hash == hashlib.sha256(text.encode()).hexdigest()
    assert Selection.objects.get(message=message).text == text


@pytest.mark.parametrize(
    "question", ["Who won the World Cup in 1954?", "What does the canteen cost?", "How do bees make honey?"]
)
def test_too_little_is_refused_with_the_fixed_sentence(people: Cast, question: str) -> None:
    message = about(people.alice, question)
    assert (message.mode, message.answer, message.model) == (Mode.REFUSED, REFUSAL, "")
    assert not message.sources.exists()


def test_a_document_that_would_answer_is_not_looked_into(people: Cast, chatbot: Chatbot) -> None:
    message = about(people.alice, "How strong may hydrochloric acid be?", chatbot=chatbot)
    assert message.answer == REFUSAL
    acids = personal_document(people.alice, "# Acids\n\nAcids are sour.\n", "sour.md")
    message = about(people.alice, "When are tides the highest?", document=acids, chatbot=chatbot)
    assert {source.kind for source in message.sources.all()} == {source_kinds.SELECTION.value}


@pytest.mark.parametrize("question", ["How does this work?", "Please summarise this text.", "What does it mean?"])
def test_a_question_about_the_text_as_such_is_answered_from_it(people: Cast, question: str) -> None:
    assert about(people.alice, question).mode == Mode.SELECTION


def test_a_chatbot_says_it_in_its_language(people: Cast) -> None:
    german = make_chatbot(people.alice, language="de")
    message = about(people.alice, "Wer hat 1954 gewonnen?", chatbot=german)
    assert message.answer == "Das kann ich allein anhand des ausgewählten Textes nicht beantworten"
    message = about(
        people.alice,
        "Wann ist Flut?",
        "Die Flut ist am Montag um acht Uhr, sagt der Hafenmeister.",
        chatbot=german,
    )
    assert "Flut ist am Montag" in message.answer
    assert "Zitate" in message.answer


def test_without_a_chatbot_the_text_says_in_which_language_it_is_answered() -> None:
    assert choose_language(TIDES) == "en"
    assert choose_language("Die Flut kommt zweimal am Tag, weil der Mond das Wasser der Meere anzieht.") == "de"
    assert (
        choose_language("潮汐は月の引力によって起こる現象であり、一日に二回海面が上下する。海の水が引かれる。") == "en"
    )
    assert choose_language("短い") == "en"


def test_a_model_is_given_the_selection_and_nothing_else(people: Cast, chatbot: Chatbot, model: Model) -> None:
    chatbot.instructions = "Speak like a pirate."
    chatbot.save()
    document = personal_document(people.alice, "# Oceanography reader\n\nWater.\n", "reader.md")
    model.enqueue("The Moon pulls the water [1].")
    message = about(people.alice, "Why is there a tide?", document=document, chatbot=chatbot)
    [given] = model.history
    said = "\n".join(turn.content for turn in given.messages)
    assert len(given.messages) == 2
    assert "Spring tides" in said
    assert REFUSAL in said
    for foreign in ("pirate", "Oceanography", "hydrochloric", "Goggles"):
        assert foreign not in said
    assert (message.mode, message.model) == (Mode.SELECTION, "Scripted model")
    assert message.answer == "The Moon pulls the water [1]."
    [source] = message.sources.all()
    assert (source.document_id, source.document_title, source.version) == (document.pk, document.title, 1)
    assert PromptRecord.objects.filter(message=message).exists()


def test_a_model_that_finds_too_little_refuses(people: Cast, model: Model) -> None:
    model.enqueue("The selected text does not say who won.")
    message = about(people.alice, "Who won?")
    assert (message.mode, message.answer) == (Mode.REFUSED, REFUSAL)


def test_what_does_not_fit_the_model_is_left_out_and_said(people: Cast, model: Model, settings: Settings) -> None:
    settings.LECTERN_LLM_CONTEXT, settings.LECTERN_LLM_ANSWER = 3000, 500
    text = "\n\n".join([GLASS * 30, TIDES, GLASS.replace("Glass", "Brass") * 60])
    model.enqueue("The Moon pulls the water of the oceans [1].")
    message = about(people.alice, "Why does the tide rise and fall twice a day?", text)
    [given] = model.history
    assert "because the Moon's gravity" in given.messages[-1].content
    assert len(given.passages) < message.sources.count()
    assert "too long for the model" in message.notice
    assert message.sources.filter(was_given=False).count() == message.sources.count() - len(given.passages)


def test_the_longest_selection_is_read_to_its_end(people: Cast) -> None:
    text = (GLASS * 200)[: 20_000 - len(TIDES)] + TIDES
    message = about(people.alice, "When are tides the highest?", text)
    assert "Spring tides" in message.answer
    assert all(source.is_cited or source.relevance < 1 for source in message.sources.all())


@pytest.mark.parametrize("text", ["", " \n\t ", "x" * 20_001, "NUL\x00"], ids=["empty", "blank", "long", "nul"])
def test_a_selection_that_cannot_be_taken_stores_nothing(people: Cast, text: str) -> None:
    with pytest.raises(asking.SelectionRefused):
        asking.ask_about_selection(member=people.alice, question="Why?", text=text)
    with pytest.raises(asking.QuestionRefused):
        asking.ask_about_selection(member=people.alice, question=" ", text=TIDES)
    assert not Chat.objects.exists()


def test_asked_again_it_is_answered_from_the_same_text(people: Cast) -> None:
    first = about(people.alice, "When are tides the highest?")
    second = asking.ask_again(message=first)
    list(answer(second.pk))
    second.refresh_from_db()
    assert (second.answer, second.selection_hash) == (first.answer, first.selection_hash)


@pytest.mark.needs("evaluation")
def test_it_says_nothing_about_the_sources_of_a_chatbot(people: Cast, chatbot: Chatbot) -> None:
    refused = about(people.alice, "Who won the World Cup in 1954?", chatbot=chatbot)
    assert unanswered.list_unanswered(people.alice) == []
    client = Client()
    client.force_login(people.alice.user)
    assert client.get(reverse("evaluation:pin", args=[refused.pk])).status_code == 404
    later = make_message(people.alice, chatbot, "And how strong may hydrochloric acid be?", chat=refused.chat)
    assert later.searched_for == "", "a selection is no part of what a follow-up leans on"


def test_pages_mark_it_as_restricted(people: Cast, chatbot: Chatbot) -> None:
    message = about(people.alice, "When are tides the highest?", chatbot=chatbot)
    for name, row in (
        ("chatbots:chat", message.chat),
        ("chatbots:turn", message),
        ("chatbots:print-chat", message.chat),
        ("chatbots:export-chat", message.chat),
    ):
        assert "From the selected text only" in page(people.alice, name, row), name


def test_what_was_too_little_is_shown(people: Cast) -> None:
    message = about(people.alice, "Who won the World Cup in 1954?", text=f"{TIDES} Not <b>bold</b>.")
    assert message.mode == Mode.REFUSED
    html = page(people.alice, "chatbots:chat", message.chat)
    assert "<summary>The selected text</summary>" in html
    assert "Not &lt;b&gt;bold&lt;/b&gt;." in html
    again = asking.ask_again(message=message)
    list(answer(again.pk))
    assert "Not &lt;b&gt;bold&lt;/b&gt;." in page(people.alice, "chatbots:turn", again)


def test_its_passage_opens_with_what_was_selected(people: Cast) -> None:
    document = personal_document(people.alice, TIDES, "tides.md")
    message = about(people.alice, "When are tides the highest?", document=document)
    html = page(people.alice, "chatbots:source", message.sources.get())
    assert "part of the text that you selected" in html
    assert "Spring tides" in html
    assert reverse("knowledge:detail", args=[document.pk]) in html
    alone = about(people.alice, "When are tides the highest?")
    assert "Spring tides" in page(people.alice, "chatbots:source", alone.sources.get())


def test_a_conversation_without_a_chatbot_has_its_pages(people: Cast) -> None:
    message = about(people.alice, "When are tides the highest?")
    chat = message.chat
    client = Client()
    client.force_login(people.alice.user)
    html = client.get(reverse("chatbots:chat", args=[chat.pk])).content.decode()
    assert "without a chatbot" in html
    assert f'href="{reverse("chatbots:chats")}" aria-current="page"' in html
    assert '<textarea id="question"' not in html
    assert "Selected text" in client.get(reverse("chatbots:chats")).content.decode()
    assert "<mark>tides</mark>" in client.get(reverse("chatbots:chats") + "?words=tides").content.decode()
    assert "*From the selected text only*" in page(people.alice, "chatbots:export-chat", chat)
    page(people.alice, "chatbots:print-chat", chat)
    page(people.alice, "chatbots:rename-chat", chat)
    page(people.alice, "chatbots:given-prompt", message)
    asked = client.post(reverse("chatbots:ask", args=[chat.pk]), {"question": "And then?"})
    assert asked.status_code == 302
    assert chat.messages.count() == 1
    client.post(reverse("chatbots:delete-chat", args=[chat.pk]))
    assert "Selected text" in client.get(reverse("chatbots:deleted-chats")).content.decode()
    client.post(reverse("chatbots:restore-chat", args=[chat.pk]))
    assert Chat.objects.for_member(people.alice).get() == chat


def test_its_page_shows_the_question_once_and_a_name_that_was_given(people: Cast) -> None:
    message = about(people.alice, "When are tides the highest?\nAnd <why>?")
    for heading in ("A question about a selected text", "Tides &amp; Moon"):
        shown = page(people.alice, "chatbots:chat", message.chat).partition("<main")[2]
        assert f'<h1 dir="auto">{heading}</h1>' in shown
        assert shown.count("When are tides the highest?") == 1
        Chat.objects.update(title="Tides & Moon")


def test_nobody_else_reaches_it(people: Cast) -> None:
    message = about(people.alice, "When are tides the highest?")
    for stranger in (people.bob, people.carol, people.charlie):
        client = Client()
        client.force_login(stranger.user)
        for name, row in (("chatbots:chat", message.chat), ("chatbots:source", message.sources.get())):
            assert client.get(reverse(name, args=[row.pk])).status_code == 404


def test_stopped_and_interrupted_it_is_checked_in_the_language_of_the_text(people: Cast) -> None:
    from chatbots.answering.finalize import mark_stopped

    message = asking.ask_about_selection(member=people.alice, question="When are tides the highest?", text=TIDES)
    Message.objects.filter(pk=message.pk).update(status="writing", answer="Twice a day")
    mark_stopped(message.pk)
    message.refresh_from_db()
    assert message.status == "stopped"


@pytest.mark.parametrize("sentence", REFUSAL_SENTENCES[SELECTION].values())
def test_a_model_may_use_any_of_its_sentences(sentence: str) -> None:
    assert is_refusal(f"**{sentence}.**")
