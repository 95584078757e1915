"""What the specification of the textbook pipeline asks under “Edge Cases” about questions, each answered by a test.

They go through the API as programs do, over HTTP to the running server, with access tokens: the same question again and
again, special characters, code and other languages, a broker that is away, embedding that fails, very long and very
short questions, empty and huge selections. About documents: test_edge_cases_of_ingestion.py.
"""

from __future__ import annotations

import json
import re
from unicodedata import normalize
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.utils.html import escape
from pytest_django import Settings

from chatbots.conversations.asking import MAX_QUESTION
from chatbots.models import Chat, Chatbot, Message, MessageSource, QuestionLogEntry
from engines.embedding import Embedder
from knowledge.models import PersonalDocument
from tests.api.conftest import Program
from tests.api.edges import KEPT, falter, told_while_away
from tests.factories import ACIDS, Cast, index_all, make_token

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "How strong may hydrochloric acid be for year 9?"


# What happens when the same question is asked repeatedly (rate limiting, caching)?


def test_the_same_question_is_answered_anew_each_time_and_each_answer_is_kept(alice: Program, chatbot: Chatbot) -> None:
    """No answer is cached: what the document says since is in the next one."""
    first, second = (alice.ask(chatbot, QUESTION).json() for _ in range(2))
    assert first["answer"] == second["answer"]
    assert "0.5 mol/l" in first["answer"]
    assert first["message_id"] != second["message_id"]
    assert Message.objects.filter(question=QUESTION).count() == 2
    assert QuestionLogEntry.objects.filter(question=QUESTION).count() == 2
    document = chatbot.personal_documents.get()
    changed = {"file": ("acids.md", ACIDS.replace("0.5 mol/l", "0.7 mol/l").encode())}
    assert alice.put(f"documents/{document.pk}/file", files=changed).status_code == 200
    index_all()
    third = alice.ask(chatbot, QUESTION).json()
    assert "0.7 mol/l" in third["answer"]
    assert "0.5 mol/l" not in third["answer"]


def test_beyond_the_limit_it_is_refused_and_not_kept(alice: Program, chatbot: Chatbot, settings: Settings) -> None:
    settings.LECTERN_API_RATE = (3, 60)
    answers = [alice.ask(chatbot, QUESTION) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[-1].headers["Content-Type"] == "application/problem+json"
    assert Message.objects.count() == 3


# What happens when a question contains special characters, code blocks, or non-English text?


def test_whatever_is_asked_is_kept_and_shown_harmlessly(alice: Program, chatbot: Chatbot, people: Cast) -> None:
    """Sign by sign, but for letters with accents, which are kept as one character."""
    kept_as = {name: normalize("NFC", question) for name, question in KEPT.items()}
    browser = Client()
    browser.force_login(people.alice.user)
    chat = alice.ask(chatbot, QUESTION).json()["chat_id"]
    for name, question in KEPT.items():
        answer = alice.ask(chatbot, question, chat_id=chat)
        assert answer.status_code == 200, (name, answer.text)
        assert Message.objects.get(pk=answer.json()["message_id"]).question == kept_as[name], name
        assert QuestionLogEntry.objects.get(message_id=answer.json()["message_id"]).question == kept_as[name], name
    kept = [one["question"] for one in alice.get(f"chats/{chat}/messages").json()["results"]]
    assert set(kept) == {QUESTION, *kept_as.values()}
    page = browser.get(f"/chats/{chat}/").content.decode()
    for name, question in kept_as.items():
        assert re.search(rf"<h2[^>]*>{re.escape(escape(question))}</h2>", page), name
    assert "<script>alert" not in page
    assert "49" not in re.findall(r"<h2[^>]*>([^<]*)</h2>", page)


@pytest.mark.parametrize("code", ["\\u0000", "\\ud800", "\\udfff", "\\ude00\\ud83d"])
def test_what_is_no_text_is_refused_by_field_and_not_kept(alice: Program, chatbot: Chatbot, code: str) -> None:
    for url, field, more in (
        (f"chatbots/{chatbot.pk}/ask", "question", {}),
        (f"chatbots/{chatbot.pk}/search", "query", {}),
        ("ask-selection", "question", {"selected_text": "Some text."}),
        ("ask-selection", "selected_text", {"question": "What is it?"}),
    ):
        rest = json.dumps(more)[1:-1]
        body = f'{{"{field}": "What of {code} this?"{", " * bool(rest)}{rest}}}'
        answer = alice.post(url, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400, (url, field)
        assert field in answer.json()["errors"], (url, field)
    assert not Message.objects.exists()


# How does the system behave when the database or the broker is temporarily unavailable?


def test_without_redis_questions_are_answered_and_uploads_wait(chatbot: Chatbot, people: Cast) -> None:
    token = make_token(people.alice, write=True)
    database = connection.settings_dict
    own = f"postgres://{database['USER']}@{quote(str(database['HOST']), safe='')}/{database['NAME']}"
    text = "# Away\n\nWhat was sent while Redis was away.\n"
    steps = [
        ("post", f"/api/v1/chatbots/{chatbot.pk}/ask", {"question": QUESTION}),
        ("post", "/api/v1/documents", {"file": text}),
        ("get", "/readyz", None),
    ]
    (answer, upload, ready), written = told_while_away(
        token, steps, DATABASE_URL=own, REDIS_URL="redis://:swordfish@127.0.0.1:1/0"
    )
    assert answer[0] == 200
    assert "0.5 mol/l" in answer[3]["answer"]
    assert upload[0] == 201
    assert (ready[0], ready[3]["missing"]) == (200, ["broker"])
    assert "swordfish" not in written
    waiting = PersonalDocument.objects.unfinished().get()
    assert (str(waiting.pk), waiting.status) == (upload[3]["id"], "queued")
    stored = waiting.newest.file.storage.path(waiting.newest.file.name)
    assert stored
    waiting.newest.file.storage.delete(waiting.newest.file.name)


# What happens when embedding generation fails for a chunk (network error, API limit)?


def test_a_question_that_cannot_be_embedded_is_kept_and_can_be_asked_again(
    alice: Program, chatbot: Chatbot, packaged: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    falter(monkeypatch, packaged, questions=range(1))
    failed = alice.ask(chatbot, QUESTION)
    assert failed.status_code == 503
    problem = failed.json()
    assert "embedding model" in problem["detail"]
    message = Message.objects.get(pk=problem["message_id"])
    assert (message.question, message.status) == (QUESTION, "failed")
    assert QuestionLogEntry.objects.get().outcome == "failed"
    assert "0.5 mol/l" in alice.ask(chatbot, QUESTION, chat_id=str(message.chat_id)).json()["answer"]


# How does the system handle very long questions (token limits) or very short questions (ambiguous intent)?


def test_the_longest_question_is_answered_and_a_longer_one_refused_in_words(alice: Program, chatbot: Chatbot) -> None:
    filler = "We have talked about it in class and have read the text. "
    longest = (filler * 40)[: MAX_QUESTION - len(QUESTION) - 1] + " " + QUESTION
    assert len(longest) == MAX_QUESTION
    answer = alice.ask(chatbot, f"  \n{longest}\n  ")
    assert answer.status_code == 200
    assert Message.objects.get().question == longest
    refused = alice.ask(chatbot, f"{longest}?")
    assert refused.status_code == 400
    assert "2,000" in refused.json()["errors"]["question"][0]
    assert alice.ask(chatbot, "x" * 70_000).status_code == 413
    assert Message.objects.count() == 1


@pytest.mark.parametrize("question", ["", "  \n\t ", "\u2003\u00a0", "\u200b\u200b", "\u00ad\ufeff \u2060", "\u3164"])
def test_a_question_of_nothing_is_refused(alice: Program, chatbot: Chatbot, question: str) -> None:
    answer = alice.ask(chatbot, question)
    assert answer.status_code == 400
    assert answer.json()["errors"]["question"]
    assert not Chat.objects.exists()


@pytest.mark.parametrize("question", ["a", "why?", "and?"])
def test_a_very_short_question_is_refused_by_the_chatbot_and_never_made_up(
    alice: Program, chatbot: Chatbot, question: str
) -> None:
    """With nothing before it that it could lean on."""
    answer = alice.ask(chatbot, question).json()
    assert (answer["refused"], answer["mode"], answer["citations"]) == (True, "refused", [])


@pytest.mark.parametrize("question", ["?", "…", "🧪", "😀😀"])
def test_signs_alone_are_refused_with_a_word_of_help(alice: Program, chatbot: Chatbot, question: str) -> None:
    for path in (f"chatbots/{chatbot.pk}/ask", f"chatbots/{chatbot.pk}/search", "ask-selection"):
        asked = {"query": question} if path.endswith("search") else {"question": question}
        answer = alice.post(path, json=asked | ({"selected_text": ACIDS} if path == "ask-selection" else {}))
        assert answer.status_code == 400
        assert answer.json()["errors"] == {
            next(iter(asked)): ["Please ask in words: symbols alone cannot be looked up."]
        }
    assert not Chat.objects.exists()


def test_a_letter_and_its_accent_are_kept_as_one_character(alice: Program, chatbot: Chatbot) -> None:
    alice.ask(chatbot, "Wie stark du\u0308rfen Sa\u0308uren sein?")
    assert Message.objects.get().question == "Wie stark dürfen Säuren sein?"


def test_why_leans_on_the_question_before(alice: Program, chatbot: Chatbot) -> None:
    first = alice.ask(chatbot, "How long does the practical take?").json()
    assert not first["refused"]
    second = alice.ask(chatbot, "Why?", chat_id=first["chat_id"]).json()
    message = Message.objects.get(pk=second["message_id"])
    assert message.question == "Why?"
    assert "practical" in message.searched_for


# What happens when selected text is empty or extremely long (beyond model context window)?


def test_a_selection_of_nothing_or_too_much_is_refused_in_words(alice: Program) -> None:
    for text, words in (
        ("", "select some text"),
        (" \n ", "select some text"),
        ("\u200b", "select some text"),
        ("x" * 20_001, "20,000"),
    ):
        answer = alice.post("ask-selection", json={"question": "What is it?", "selected_text": text})
        assert answer.status_code == 400
        assert words in answer.json()["errors"]["selected_text"][0]
    assert not Message.objects.exists()


def test_from_the_longest_selection_what_fits_is_read_and_nothing_else(alice: Program) -> None:
    fact = "The lighthouse of Kelbourne was built of green basalt in 1831."
    filler = "The weather was fair that day, and the boats went out early as they did every day of that summer. "
    text = filler * 100 + fact + " "
    text += (filler * 200)[: 20_000 - len(text)]
    assert len(text) == 20_000
    answer = alice.post(
        "ask-selection",
        json={"question": "Of what was the lighthouse of Kelbourne built?", "selected_text": text},
    )
    assert answer.status_code == 200
    assert "green basalt" in answer.json()["answer"]
    assert answer.json()["mode"] == "selection"
    assert set(MessageSource.objects.values_list("kind", flat=True)) == {"selection"}
