"""A textbook chatbot answers from its book or refuses in words of its own, and never answers generally (T4)."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from chatbots.models import Chatbot, ChatbotKind, Mode, WhenUnsure
from tests.factories import Cast, make_chatbot, make_message, personal_document
from tests.scripted import ScriptedLLM

REFUSAL = "I cannot answer based on the textbook content"
IN_IT = "How strong is the hydrochloric acid for year 9?"
NOT_IN_IT = "Who won the football world cup of 1954?"
BASE = {"name": "Physics", "language": "en", "personal_weight": 60, "places": 5, "when_unsure": "refuse"}


@pytest.fixture
def textbook(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, personal=[personal_document(people.alice)], kind=ChatbotKind.TEXTBOOK)


@pytest.fixture
def alice(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


@pytest.mark.django_db
def test_what_the_book_does_not_answer_is_refused_word_for_word(people: Cast, textbook: Chatbot) -> None:
    message = make_message(people.alice, textbook, NOT_IN_IT)
    assert (message.mode, message.answer) == (Mode.REFUSED, REFUSAL)
    Chatbot.objects.update(language="de")
    textbook.refresh_from_db()
    german = make_message(people.alice, textbook, NOT_IN_IT)
    assert german.answer == "Das kann ich anhand des Lehrbuchs nicht beantworten"


@pytest.mark.django_db
def test_what_the_book_answers_is_answered(people: Cast, textbook: Chatbot) -> None:
    message = make_message(people.alice, textbook, IN_IT)
    assert message.mode == Mode.GROUNDED
    assert "0.5 mol/l" in message.answer


@pytest.mark.django_db
@pytest.mark.parametrize(
    "written", [f"{REFUSAL}.", f"Sorry, **{REFUSAL.lower()}** [1].", "The textbook does not say that."]
)
def test_a_model_that_refuses_is_understood(
    people: Cast, textbook: Chatbot, model: type[ScriptedLLM], written: str
) -> None:
    model.enqueue(written)
    message = make_message(people.alice, textbook, IN_IT)
    assert REFUSAL in model.history[0].messages[0].content
    assert (message.mode, message.answer) == (Mode.REFUSED, REFUSAL)


def test_the_form_makes_a_textbook_chatbot_and_keeps_it_one(alice: Client, people: Cast) -> None:
    assert alice.post(reverse("chatbots:create"), BASE | {"kind": "textbook"}).status_code == 302
    chatbot = Chatbot.objects.get()
    assert chatbot.kind == ChatbotKind.TEXTBOOK
    assert alice.post(reverse("chatbots:edit", args=[chatbot.pk]), BASE | {"name": "New"}).status_code == 302
    chatbot.refresh_from_db()
    assert (chatbot.name, chatbot.kind) == ("New", ChatbotKind.TEXTBOOK)
    assert "Textbook" in alice.get(reverse("chatbots:list")).content.decode()


def test_a_chatbot_is_general_unless_one_says_otherwise(alice: Client, people: Cast) -> None:
    alice.post(reverse("chatbots:create"), BASE)
    assert Chatbot.objects.get().kind == ChatbotKind.GENERAL


@pytest.mark.parametrize("kind", ["textbook", ""])
def test_the_form_lets_no_textbook_chatbot_answer_generally(alice: Client, people: Cast, kind: str) -> None:
    chatbot = make_chatbot(people.alice, kind=ChatbotKind.TEXTBOOK)
    data = BASE | {"kind": kind, "when_unsure": "general", "name": "Typed"}
    response = alice.post(reverse("chatbots:edit", args=[chatbot.pk]), data)
    assert response.status_code == 422
    html = response.content.decode()
    assert html.count("A textbook chatbot never answers from general knowledge. Choose") == 1
    assert 'value="Typed"' in html
    chatbot.refresh_from_db()
    assert chatbot.when_unsure == WhenUnsure.REFUSE


def test_the_form_refuses_a_kind_that_is_none(alice: Client, people: Cast) -> None:
    response = alice.post(reverse("chatbots:create"), BASE | {"kind": "novel"})
    assert response.status_code == 422
    assert "kind" in response.context["form"].errors


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("chatbot_kind", {"kind": "novel"}),
        ("chatbot_textbook_refuses", {"kind": "textbook", "when_unsure": "general"}),
    ],
)
def test_the_database_lets_no_other_in(people: Cast, name: str, change: dict[str, str]) -> None:
    chatbot = make_chatbot(people.alice)
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Chatbot.objects.filter(pk=chatbot.pk).update(**change)
