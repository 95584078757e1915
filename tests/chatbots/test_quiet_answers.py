"""Under an answer stand three quiet links and a menu; what holds for the whole page is said once."""

import re
from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from chatbots.models import Chatbot, Message
from schools.models import Membership
from tests.factories import Cast, make_message
from tests.scripted import ScriptedLLM

QUESTION = "How strong is the hydrochloric acid?"
ONCE = "answers are quotations, word for word"
IN_EACH = "no language model is set up"
ClientOf = Callable[[Membership], Client]


def shown(client: Client, page: str, message: Message) -> str:
    return client.get(reverse(f"chatbots:{page}", args=[message.chat_id])).content.decode()


def times(text: str, words: str = ONCE) -> int:
    return text.lower().count(words)


def test_that_there_is_no_model_is_said_once_on_a_page(people: Cast, chatbot: Chatbot, sign_in: ClientOf) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    make_message(people.alice, chatbot, f"{QUESTION} Again?", chat=message.chat)
    assert times(message.answer, IN_EACH)
    alice = sign_in(people.alice)
    for page, once in (("chat", ONCE), ("print-chat", "a program answers with quotations")):
        text = re.sub("<textarea.*?</textarea>", "", shown(alice, page, message), flags=re.DOTALL)
        assert (times(text, once), times(text, IN_EACH)) == (1, 0), page
    assert times(shown(alice, "export-chat", message), IN_EACH) == 2, "elsewhere each answer says so itself"


def test_with_a_model_it_is_not_said(
    people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], sign_in: ClientOf
) -> None:
    model.enqueue("It has 0.5 mol/l [1].\n\n*In short.*")
    message = make_message(people.alice, chatbot, QUESTION)
    text = shown(sign_in(people.alice), "chat", message)
    assert not times(text) and not times(text, IN_EACH)
    assert "<em>In short.</em>" in text


def test_under_an_answer_are_three_links_and_a_menu(people: Cast, chatbot: Chatbot, sign_in: ClientOf) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    text = shown(sign_in(people.alice), "chat", message)
    after = text.partition('<div class="tools after">')[2].partition('<div class="feedback"')[0]
    links, _, menu = after.partition('<details class="menu"')
    assert re.findall(r"Copy|Answer again|Why these sources\?", links) == ["Copy", "Answer again", "Why these sources?"]
    assert f'id="why-{message.pk}"' in text
    for words in ("Helpful", "Not helpful", "What this was quoted from", "Pin as test question"):
        assert words in menu
