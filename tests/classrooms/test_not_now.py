"""Pupils who cannot ask now are told why, and what they typed is not lost."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from chatbots.models import Chatbot, Message
from classrooms import links
from classrooms.erasing import erase_pupil
from classrooms.joining import pupils
from classrooms.models import ClassLink, Pupil
from tests.classrooms.classes import browser, come_in, join, make_asked, open_class, page
from tests.factories import Cast
from tests.learning.plans import make_plan
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
TYPED = 'Why is <b>it</b> "blue"?'
KEPT = "Why is &lt;b&gt;it&lt;/b&gt; &quot;blue&quot;?"
HTMX = {"HX-Request": "true"}


def read_words(response: Any) -> str:
    return str(response.content.decode())


def test_one_paused_pupil_is_told_so_and_sends_the_question_again(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    message = make_asked(pupil, chatbot)
    address = page("chat", link, message.chat_id)
    pupils.set_paused(pupil, is_paused=True)
    sent = {"question": TYPED, "message_id": "0190b5c0-0000-7000-8000-000000000001"}
    response = computer.post(address, sent)
    text = read_words(response)
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
    assert "paused you for now" in read_words(asked) and 'form="ask-form">Try again' in read_words(asked)
    raised = computer.post(page("hand", link, message.pk), {"raised": "on"}, headers=HTMX)
    assert "paused you for now" in read_words(raised) and "Try again</button>" not in read_words(raised)
    links.close(link)
    over = read_words(computer.post(page("chat", link, message.chat_id), {"question": TYPED}, headers=HTMX))
    assert "This class is over" in over and "Try again" not in over


def test_trying_again_leads_to_the_same_page(link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot) -> None:
    links.pause(link, is_paused=True)
    address = page("new-chat", link, chatbot.pk)
    text = read_words(computer.get(address))
    assert "Your teacher has paused the class" in text and f'href="{address}">Try again' in text


def test_what_was_typed_in_a_class_that_is_over_is_still_shown(
    link: ClassLink, computer: Client, chatbot: Chatbot
) -> None:
    links.close(link)
    text = read_words(computer.post(page("new-chat", link, chatbot.pk), {"question": TYPED}))
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
    text = read_words(computer.post(page("practise", link, tutor.pk), {"question": "a-key", "given": given}))
    assert '<input type="hidden" name="question" value="a-key">' in text
    assert (f'name="given" value="{given}">' in text) != is_shown
    assert (f">{given}</textarea>" in text) == is_shown


def test_a_pupil_without_a_cookie_comes_back_and_sends_it(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    message, own_code = make_asked(pupil, chatbot), pupils.change_pupil_code(pupil)
    address, stranger = page("chat", link, message.chat_id), browser()
    sent = {"question": TYPED, "message_id": "0190b5c0-0000-7000-8000-000000000001"}
    response = stranger.post(address, sent)
    text = read_words(response)
    assert response.status_code == 403 and "What you typed. It was not sent." in text and "I was here before" in text
    assert text.count(f'<input type="hidden" name="question" value="{KEPT}">') == 2
    assert text.count(f'name="to" value="{address}"') == text.count('name="message_id"') == 2
    wrong = read_words(stranger.post(page("door", link), {**sent, "to": address, "own_code": "ACDEF0"}))
    assert 'value="ACDEF0"' in wrong and "0 is never in a code." in wrong and KEPT in wrong
    text = read_words(stranger.post(page("door", link), {**sent, "to": address, "own_code": own_code}))
    assert f'action="{address}"' in text and f">{KEPT}</textarea>" in text and sent["message_id"] in text
    assert own_code not in text
    assert stranger.post(address, sent)["Location"] == address
    assert message.chat.messages.count() == 2


def test_a_new_pupil_keeps_what_was_typed_too(link: ClassLink, chatbot: Chatbot) -> None:
    address = page("new-chat", link, chatbot.pk)
    text = read_words(browser().post(page("door", link), {"question": TYPED, "to": address, "nickname": "Blue Fox"}))
    assert "Welcome, Blue Fox" in text and f'action="{address}"' in text and f">{KEPT}</textarea>" in text


@pytest.mark.parametrize("is_erased", [False, True])
def test_in_the_conversation_of_another_pupil_it_becomes_a_first_question(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: type[ScriptedLLM], is_erased: bool
) -> None:
    message = make_asked(pupil, chatbot)
    carried = {"question": TYPED, "last": str(message.pk), "to": page("chat", link, message.chat_id)}
    own_code = pupils.change_pupil_code(join(link))
    if is_erased:
        erase_pupil(pupil)
    address = page("new-chat", link, chatbot.pk)
    for how in ({"nickname": "Blue Fox"}, {"own_code": own_code}):
        newcomer = browser()
        text = read_words(newcomer.post(page("door", link), carried | how))
        assert f'action="{address}"' in text and f">{KEPT}</textarea>" in text and 'name="last"' not in text
        assert newcomer.post(address, {"question": TYPED})["Location"] != carried["to"]
        assert Message.objects.filter(question=TYPED).exclude(chat=message.chat_id).exists()


@pytest.mark.parametrize("to", ["https://elsewhere.example/", "/accounts/login/", "//elsewhere.example/c/", "other"])
def test_it_is_carried_to_pages_of_this_class_only(
    to: str, people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot
) -> None:
    own_code, other = pupils.change_pupil_code(pupil), open_class(people.alice, chatbot)
    to = page("new-chat", other, chatbot.pk) if to == "other" else to
    response = browser().post(page("door", link), {"question": TYPED, "to": to, "own_code": own_code})
    assert response.status_code == 302 and response["Location"] == page("room", link)


def test_an_open_page_without_a_pupil_is_told_in_place(
    link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    address = page("chat", link, make_asked(pupil, chatbot).chat_id)
    computer.post(page("leave", link))  # in another tab
    response = computer.post(address, {"question": TYPED}, headers=HTMX)
    assert (response.status_code, response["HX-Retarget"]) == (422, "#not-now")
    assert "What you typed is kept here." in read_words(response) and f'href="{page("door", link)}"' in read_words(
        response
    )
    assert computer.get(address, headers=HTMX).status_code == 204


def test_without_a_cookie_and_out_of_hours_it_is_shown(link: ClassLink, chatbot: Chatbot) -> None:
    links.pause(link, is_paused=True)
    address = page("new-chat", link, chatbot.pk)
    text = read_words(browser().post(address, {"question": TYPED}))
    assert "Your teacher has paused the class" in text and f'action="{address}"' in text and KEPT in text
    links.close(link)
    text = read_words(browser().post(address, {"question": TYPED}))
    assert "readonly" in text and KEPT in text and "Try again" not in text


def test_a_conversation_that_is_not_theirs_shows_what_they_typed(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    address = page("chat", link, make_asked(pupil, chatbot).chat_id)
    response = come_in(link)[0].post(address, {"question": TYPED})
    assert response.status_code == 404 and KEPT in read_words(response)
