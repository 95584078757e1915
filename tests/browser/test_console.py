"""Nothing is blocked on the main pages: the console of the browser stays empty, also while one asks."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from chatbots.models import Chatbot
from tests.browser.conftest import Desk
from tests.factories import Cast
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.browser

OF_TEACHERS = [
    "/chatbots/",
    "/chatbots/start/",
    "/chatbots/new/",
    "/chatbots/unanswered/",
    "/chats/",
    "/documents/",
    "/documents/paste/",
    "/web-pages/add/",
    "/library/",
    "/plans/",
    "/schools/tokens/",
    "/accounts/password/change/",
]
OF_ADMINS = [
    "/library/upload/",
    "/schools/members/",
    "/schools/members/add/",
    "/schools/usage/",
    "/schools/gaps/",
    "/references/",
    "/references/topics/",
    "/references/archives/",
]


def heard(page: Page) -> list[str]:
    """What the console says from now on, but for hints of the browser about focus."""
    said: list[str] = []
    page.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
    return said


def test_the_main_pages_say_nothing(desk: Desk, people: Cast) -> None:
    for member, addresses in ((people.alice, OF_TEACHERS), (people.carol, OF_ADMINS)):
        page = desk.sign_in(member)
        said = heard(page)
        for address in addresses:
            answer = page.goto(address, wait_until="networkidle")
            assert answer
            assert answer.status == 200, address
        assert not said


def test_a_field_that_was_resized_is_replaced_in_silence(
    desk: Desk, people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]
) -> None:
    """Whoever drags a corner of a field gives it a style, which htmx would copy and the policy would block."""
    page = desk.sign_in(people.alice)
    said = heard(page)
    page.goto(f"/chatbots/{chatbot.pk}/")
    for number in (1, 2):
        model.enqueue(["It has 0.5 mol/l [1]."])
        field = page.locator("#question")
        field.evaluate("field => { field.style.height = '7rem' }")
        field.fill(f"How strong is the hydrochloric acid, {number}?")
        field.press("Enter")
        expect(page.locator(".answer[data-finished]")).to_have_count(number)
    assert not said
