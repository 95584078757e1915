"""Pupils who cannot ask now are told why, and what they typed is not lost."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from chatbots.models import Chatbot, Message
from classrooms import links
from classrooms.joining import pupils
from classrooms.models import ClassLink, Pupil
from tests.classrooms.classes import make_asked, page
from tests.factories import Cast
from tests.learning.plans import make_plan
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
TYPED = 'Why is <b>it</b> "blue"?'
KEPT = "Why is &lt;b&gt;it&lt;/b&gt; &quot;blue&quot;?"
HTMX = {"HX-Request": "true"}


def words_of(response: Any) -> str:
    return str(response.content.decode())


def test_one_paused_pupil_is_told_so_and_sends_the_question_again(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    message = make_asked(pupil, chatbot)
    address = page("chat", link, message.chat_id)
    pupils.set_paused(pupil, is_paused=True)
    sent = {"question": TYPED, "message_id": "0190b5c0-0000-7000-8000-000000000001"}
    response = computer.post(address, sent)
    text = words_of(response)
    assert response.status_code == 403 and "Your teacher has paused you for now" in text and KEPT in text
    assert "paused the class" not in text
    assert f'action="{address}"' in text and f'name="message_id" value="{sent["message_id"]}"' in text
    pupils.set_paused(pupil, is_paused=False)
    assert computer.post(address, sent)["Location"] == address
    assert message.chat.messages.count() == 2


def test_a_page_that_is_open_keeps_the_field(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    message = make_asked(pupil, chatbot)
    pupils.set_paused(pupil, is_paused=True)
    asked = computer.post(page("chat", link, message.chat_id), {"question": TYPED}, headers=HTMX)
    assert (asked.status_code, asked["HX-Retarget"], asked["HX-Reswap"]) == (422, "#not-now", "innerHTML")
    assert "paused you for now" in words_of(asked) and 'form="ask-form">Try again' in words_of(asked)
    raised = computer.post(page("hand", link, message.pk), {"raised": "on"}, headers=HTMX)
    assert "paused you for now" in words_of(raised) and "Try again</button>" not in words_of(raised)
    links.close(link)
    over = words_of(computer.post(page("chat", link, message.chat_id), {"question": TYPED}, headers=HTMX))
    assert "This class is over" in over and "Try again" not in over


def test_trying_again_leads_to_the_same_page(link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot) -> None:
    links.pause(link, is_paused=True)
    address = page("new-chat", link, chatbot.pk)
    text = words_of(computer.get(address))
    assert "Your teacher has paused the class" in text and f'href="{address}">Try again' in text


def test_what_was_typed_in_a_class_that_is_over_is_still_shown(
    link: ClassLink, computer: Client, chatbot: Chatbot
) -> None:
    links.close(link)
    text = words_of(computer.post(page("new-chat", link, chatbot.pk), {"question": TYPED}))
    assert KEPT in text and "readonly" in text and "Try again" not in text
    assert not Message.objects.exists()


@pytest.mark.parametrize(("given", "is_shown"), [("A long answer", True), ("2", False)])
def test_an_answer_in_practice_is_sent_again(
    people: Cast, link: ClassLink, computer: Client, chatbot: Chatbot, given: str, is_shown: bool
) -> None:
    tutor = make_plan(people.alice, "Acid").tutor
    assert tutor
    links.set_chatbots(link=link, member=people.alice, chatbots=[tutor.pk])
    links.pause(link, is_paused=True)
    text = words_of(computer.post(page("practise", link, tutor.pk), {"question": "a-key", "given": given}))
    assert '<input type="hidden" name="question" value="a-key">' in text
    assert (f'name="given" value="{given}">' in text) != is_shown
    assert (f">{given}</textarea>" in text) == is_shown
