"""Where a conversation stands in the window: the page follows an answer, stays where one scrolls, and returns."""

import threading

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from chatbots.models import Chat, Chatbot, Message
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


def test_back_from_a_source_returns_to_the_very_spot(desk: Desk, people: Cast, chat: Chat) -> None:
    page = opened(desk, people, chat)
    first = page.locator("#turns > .turn").first
    first.locator(".note-more summary").first.click()
    page.evaluate("window.scrollTo({ top: 460, behavior: 'instant' })")
    first.locator(".note h3 a").first.evaluate("link => link.click()")
    page.wait_for_url("**/sources/**")
    page.go_back()
    page.wait_for_url("**/chats/**")
    page.wait_for_function("scrollY === 460")
    expect(first.locator(".note-more").first).to_have_attribute("open", "")
    page.goto(f"/chats/{chat.pk}/")
    expect(page.locator("#turns > .turn").last.locator(".question")).to_be_in_viewport()


@pytest.fixture
def many(people: Cast, chatbot: Chatbot, model: Model) -> list[Message]:
    """Five questions of one conversation."""
    model.enqueue(*["It has 0.5 mol/l [1]."] * 5)
    first = make_message(people.alice, chatbot, QUESTION)
    return [first, *(make_message(people.alice, chatbot, f"{QUESTION} ({n})", chat=first.chat) for n in range(4))]


def test_early_exchanges_are_folded_and_open_for_whoever_looks_for_them(
    desk: Desk, people: Cast, many: list[Message]
) -> None:
    first, second = many[:2]
    page = opened(desk, people, first.chat)
    early = page.locator("details.earlier")
    expect(early).to_have_count(2)
    expect(page.locator("#turns > .turn")).to_have_count(3)
    answer = page.locator(f"#turn-{first.pk} .answer")
    expect(answer).to_be_hidden()
    early.first.locator("summary").first.click()
    expect(answer).to_be_visible()
    note = first.sources.filter(is_cited=False).first() or first.sources.get(number=1)
    page.goto(f"/chats/{first.chat_id}/#note-{note.pk}")
    page.reload()
    expect(page.locator(f"#note-{note.pk}")).to_be_visible()
    page.goto("/chats/?words=mol")
    page.locator(f"a[href*='#turn-{second.pk}']").click()
    expect(page.locator(f"#turn-{second.pk} .answer")).to_be_visible()
    expect(page.locator(f"#turn-{second.pk}")).to_be_in_viewport()


def test_paper_shows_the_folded_exchanges(desk: Desk, people: Cast, many: list[Message]) -> None:
    page = opened(desk, people, many[0].chat)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(f"#turn-{many[0].pk} .answer")).to_be_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(f"#turn-{many[0].pk} .answer")).to_be_hidden()


def test_whoever_was_signed_out_prints_the_questions_alone(desk: Desk, people: Cast, many: list[Message]) -> None:
    page = opened(desk, people, many[0].chat)
    expect(page.locator("details.earlier")).to_have_count(2)
    Session.objects.all().delete()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("details.earlier[open] > [data-lazy]")).to_have_count(2)
    expect(page.locator("[name=password]")).to_have_count(0)


def test_the_question_field_is_near_and_the_menus_stay(
    desk: Desk, people: Cast, chatbot: Chatbot, many: list[Message]
) -> None:
    page = desk.sign_in(people.alice, viewport={"width": 1280, "height": 800})
    page.goto(f"/chatbots/{chatbot.pk}/")
    expect(page.locator("#question")).to_be_focused()
    page.goto(f"/chats/{many[0].chat_id}/")
    page.evaluate("window.scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
    expect(page.get_by_role("link", name="New conversation")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Settings")).to_be_in_viewport()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the question field")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#question")).to_be_focused()
