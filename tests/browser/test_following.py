"""Where a conversation stands in the window: the page follows an answer, stays where its reader scrolls, and returns."""

import threading

import pytest
from playwright.sync_api import Page, expect

from chatbots.models import Chat, Chatbot
from tests.browser.conftest import Desk
from tests.factories import Cast, make_message
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.browser
Model = type[ScriptedLLM]
QUESTION = "How strong is the hydrochloric acid?"
LONG = "\n\n".join(f"Paragraph {number} of a long answer about acids [1]." for number in range(25))

IS_FREE = """() => {
    const answer = document.querySelector("#turns > .turn:last-of-type .answer").getBoundingClientRect();
    return answer.bottom <= document.querySelector("#composer form").getBoundingClientRect().top;
}"""
"""Whether the composer covers nothing of the last answer."""


@pytest.fixture
def chat(people: Cast, chatbot: Chatbot, model: Model) -> Chat:
    """A conversation of two long answers."""
    model.enqueue(LONG, LONG)
    chat = make_message(people.alice, chatbot, QUESTION).chat
    make_message(people.alice, chatbot, f"{QUESTION} Why?", chat=chat)
    return chat


def opened(desk: Desk, people: Cast, chat: Chat) -> Page:
    page = desk.sign_in(people.alice, viewport={"width": 1280, "height": 800})
    page.goto(f"/chats/{chat.pk}/")
    return page


def ask(page: Page) -> None:
    page.fill("#question", f"{QUESTION} Again?")
    page.click("#composer form button")


def test_the_page_follows_the_answer_until_its_reader_scrolls_up(
    desk: Desk, people: Cast, chat: Chat, model: Model
) -> None:
    between, then, after = threading.Event(), threading.Event(), threading.Event()
    model.enqueue(["It begins.", between, f"\n\n{LONG}", then, f"\n\n{LONG}", after, "\n\nThe end."])
    page = opened(desk, people, chat)
    ask(page)
    turn = page.locator("#turns > .turn").last
    text, jump = turn.locator(".answer-text"), page.get_by_role("button", name="Jump to the answer")
    expect(text).to_contain_text("It begins.")
    expect(turn.locator(".question")).to_be_in_viewport()
    page.wait_for_function(IS_FREE)
    between.set()
    expect(text).to_contain_text("Paragraph 24")
    page.wait_for_function(IS_FREE)
    page.mouse.move(500, 300)
    page.mouse.wheel(0, -700)
    expect(jump).to_be_visible()
    left = page.evaluate("scrollY")
    then.set()
    wait_for(lambda: text.inner_text().count("Paragraph 24") == 2)
    assert page.evaluate("scrollY") == left
    jump.click()
    page.wait_for_function(IS_FREE)
    expect(jump).to_be_hidden()
    after.set()
    expect(turn.locator(".answer[data-finished]")).to_contain_text("The end.")
    page.wait_for_function(IS_FREE)
    expect(jump).to_be_hidden()


def test_a_short_answer_stands_free_of_the_question_field(desk: Desk, people: Cast, chat: Chat, model: Model) -> None:
    model.enqueue("It has 0.5 mol/l [1].")
    page = opened(desk, people, chat)
    ask(page)
    turn = page.locator("#turns > .turn").last
    expect(turn.locator(".answer[data-finished]")).to_contain_text("0.5 mol/l")
    page.wait_for_function(IS_FREE)
    expect(turn.locator(".question")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Jump to the answer")).to_be_hidden()
