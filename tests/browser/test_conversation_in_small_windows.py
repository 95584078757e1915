"""A conversation in a small window: nothing hides behind the question field, tips stay inside, questions come first."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from chatbots.models import Chatbot, Message
from tests.browser.conftest import Desk
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.browser

TEXT = "# Rivers\n\n## Deltas\n\nA delta is a plain that grows where a river drops its load in still water.\n"
PHONE = {"width": 390, "height": 700}


@pytest.fixture
def rivers(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, personal=[personal_document(people.alice, TEXT, "rivers.md")])


@pytest.fixture
def message(people: Cast, rivers: Chatbot) -> Message:
    message = make_message(people.alice, rivers, "What is a delta?")
    for _ in range(2):
        make_message(people.alice, rivers, "What is a delta?", chat=message.chat)
    return message


def behind_the_composer(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        """async () => {
          const found = [];
          const composer = document.querySelector("#composer form");
          for (const one of document.querySelectorAll("main :is(a, button, summary)")) {
            if (!one.checkVisibility() || one.closest(".composer")) continue;
            one.focus();
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const beyond = one.getBoundingClientRect().bottom - composer.getBoundingClientRect().top;
            if (beyond > 1) found.push(one.outerHTML);
          }
          return found;
        }"""
    )
    return found


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 700}])
def test_what_has_the_focus_is_never_behind_the_question_field(
    desk: Desk, people: Cast, message: Message, size: dict[str, int]
) -> None:
    page = desk.sign_in(people.alice, viewport=size, reduced_motion="reduce")
    page.goto(f"/chats/{message.chat_id}/")
    page.evaluate("scrollTo(0, 0); document.querySelectorAll('details.earlier').forEach((one) => (one.open = true))")
    assert page.locator("#turns a").count() > 3
    assert behind_the_composer(page) == []


@pytest.mark.parametrize("width", [390, 800, 1000])
def test_what_a_citation_shows_stays_inside_the_window(desk: Desk, people: Cast, message: Message, width: int) -> None:
    page = desk.sign_in(people.alice, viewport={"width": width, "height": 700})
    page.goto(f"/chats/{message.chat_id}/")
    page.locator(".turn:last-of-type .cite").last.focus()
    box = page.locator(".turn:last-of-type .cite-tip").last.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= width


def test_questions_to_begin_with_come_first_on_phones(desk: Desk, people: Cast, rivers: Chatbot) -> None:
    page = desk.sign_in(people.alice, viewport=PHONE)
    page.goto(f"/chatbots/{rivers.pk}/")
    topics, questions = page.locator(".opening .topics"), page.locator(".suggested")
    expect(topics).to_be_visible()
    above, below = questions.bounding_box(), topics.bounding_box()
    assert above and below and above["y"] + above["height"] <= below["y"]
    assert page.evaluate("scrollY") == 0


def test_back_from_a_source_leads_to_the_spot_that_was_left(desk: Desk, people: Cast, message: Message) -> None:
    page = desk.sign_in(people.alice, viewport=PHONE, reduced_motion="reduce")
    page.goto(f"/chats/{message.chat_id}/")
    page.locator(".turn:last-of-type .note h3 a").first.focus()
    left = page.evaluate("scrollY")
    assert left > 0
    page.keyboard.press("Enter")
    expect(page.locator("mark#passage")).to_be_visible()
    page.go_back()
    page.wait_for_function(f"Math.abs(scrollY - {left}) <= 2")


def test_links_to_sources_are_large_enough_to_press(desk: Desk, people: Cast, message: Message) -> None:
    page = desk.sign_in(people.alice, viewport=PHONE)
    page.goto(f"/chats/{message.chat_id}/")
    badge = page.locator(".turn:last-of-type a.badge").first.bounding_box()
    assert badge and badge["height"] >= 24


def test_the_menu_of_the_page_alone_is_called_more(desk: Desk, people: Cast, message: Message) -> None:
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{message.chat_id}/")
    words = [" ".join(one.split()) for one in page.locator("main summary:visible").all_inner_texts()]
    assert [one for one in words if "More" in one] == ["More"]
