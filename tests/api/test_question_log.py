"""The question log by the API (T6): for admins, with what its page shows and nothing more (ADR 15)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.utils import timezone

from chatbots.models import Chatbot, MessageStatus, QuestionLogEntry
from chatbots.question_log import store
from tests.api.conftest import Program
from tests.factories import Cast, make_chatbot, make_message, school_document

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "How strong may hydrochloric acid be?"


@pytest.fixture
def carol(server: str, people: Cast) -> Iterator[Program]:
    with Program(server, people.carol) as program:
        yield program


@pytest.fixture
def library_bot(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, school=[school_document(people.carol, title="Safety policy")])


def test_admins_read_what_was_asked_by_whichever_door(alice: Program, carol: Program, library_bot: Chatbot) -> None:
    answered = alice.ask(library_bot, QUESTION).json()
    selected = {"question": "Of what is it?", "selected_text": "The zork tower is of zork stone."}
    alice.post("ask-selection", json=selected).raise_for_status()
    page = carol.get("question-log")
    rows = {row["question"]: row for row in page.json()["results"]}
    first, second = rows[QUESTION], rows["Of what is it?"]
    assert (first["answer"], first["is_withheld"]) == (answered["answer"], False)
    assert (first["outcome"], first["door"], first["mode"]) == ("answered", "api", "grounded")
    assert first["day"] == timezone.localdate().isoformat()
    assert first["chatbot"] is None
    assert [cited["title"] for cited in first["citations"]] == ["Safety policy"]
    assert (second["answer"], second["is_withheld"], second["citations"]) == (None, True, [])
    for secret in ("zork stone", "Alice", str(library_bot.pk), answered["message_id"], answered["chat_id"]):
        assert secret not in page.text
    assert len(QuestionLogEntry.objects.get(question="Of what is it?").selection_hash) == 64


def test_it_is_narrowed_and_read_page_by_page(carol: Program, people: Cast, library_bot: Chatbot) -> None:
    store.name(library_bot, is_named=True)
    for number in range(5):
        message = make_message(people.alice, library_bot, f"Question {number}?", answered=False)
        type(message).objects.filter(pk=message.pk).update(status=MessageStatus.FAILED)
        message.refresh_from_db()
        with transaction.atomic():
            store.log(message, store.lock_named_chatbot(message))
    query: dict[str, str | int] = {"outcome": "failed", "chatbot": str(library_bot.pk), "limit": 2}
    asked, page = [], carol.get("question-log", params=query).json()
    assert page["results"][0]["chatbot"] == {"id": str(library_bot.pk), "name": library_bot.name}
    while True:
        asked += [row["question"] for row in page["results"]]
        if page["next"] is None:
            break
        page = carol.get(page["next"]).json()
    assert sorted(asked) == [f"Question {number}?" for number in range(5)]
    today = timezone.localdate().isoformat()
    assert carol.get("question-log", params={"words": "3", "since": today}).json()["results"][0]["question"]
    assert carol.get("question-log", params={"until": "2001-01-01"}).json()["results"] == []
    for wrong in ({"since": "x"}, {"until": "9999-12-31"}, {"outcome": "lost"}, {"chatbot": "Ms Miller"}):
        answer = carol.get("question-log", params=wrong)
        assert (answer.status_code, set(answer.json()["errors"])) == (400, set(wrong))


def test_teachers_may_not(alice: Program) -> None:
    assert alice.get("question-log").status_code == 403
