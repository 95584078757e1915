"""What scripts add to conversations: notes that unfold, copying, thumbs in place, drafts that outlive the session."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Locator, Page, expect

from chatbots.models import Chatbot, Message
from tests.browser.conftest import Desk
from tests.factories import PASSWORD, Cast, make_message, personal_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.browser
QUESTION = "How strong is the hydrochloric acid?"


@pytest.fixture
def message(people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]) -> Message:
    """It cites its first source, and the check names the second, which is folded away."""
    model.enqueue("It has 0.5 mol/l [1].")
    message = make_message(people.alice, chatbot, QUESTION)
    Message.objects.filter(pk=message.pk).update(support={"0": ["not found", 2]})
    return message


def sign_in_again(page: Page, people: Cast) -> None:
    page.wait_for_url("**/accounts/login/**")
    page.fill("[name=login]", people.alice.user.email)
    page.fill("[name=password]", PASSWORD)
    page.click("main button")


def test_the_source_that_says_it_is_reached_from_the_tip(desk: Desk, people: Cast, message: Message) -> None:
    page = desk.sign_in(people.alice, viewport={"width": 1280, "height": 900})
    page.goto(f"/chats/{message.chat_id}/")
    better = page.locator(f"#note-{message.sources.get(number=2).pk}")
    expect(better).to_be_hidden()
    page.locator(".cite").hover()
    tip, link = page.locator(".cite-tip"), page.locator(".cite-tip a")
    cite, box = page.locator(".cite").bounding_box(), link.bounding_box()
    assert cite
    assert box
    page.mouse.move(cite["x"] + 4, cite["y"] - 2)  # on the way from the mark to the tip, over the gap
    expect(tip).to_be_visible()
    page.mouse.move(box["x"] + 4, box["y"] + 4)
    link.click()
    expect(better).to_be_visible()
    expect(better).to_be_in_viewport()
    page.reload()
    page.mouse.move(0, 0)
    page.locator(".cite").focus()
    expect(tip).to_be_visible()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_an_answer_is_copied_with_its_references(desk: Desk, people: Cast, message: Message) -> None:
    page = desk.sign_in(people.alice, permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/chats/{message.chat_id}/")
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".copy [role=status]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("It has 0.5 mol/l [1✗].")
    assert "\n\n[1] " in copied
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject() }")
    page.get_by_role("button", name="Copy").click()
    field = page.locator(".copy textarea")
    expect(field).to_be_focused()
    assert field.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)") == copied


def test_a_thumb_is_pressed_in_place(desk: Desk, people: Cast, message: Message) -> None:
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{message.chat_id}/")
    menu = page.locator(".after .menu > summary")
    button = page.get_by_role("button", name="Not helpful")
    beside = from_one_to_the_other(page.get_by_role("button", name="Copy"), menu)
    menu.press("Enter")
    button.press("Enter")
    expect(menu).to_be_focused()
    expect(button).to_be_hidden()
    expect(page.locator(f"#feedback-status-{message.pk}")).to_have_text("Marked as not helpful.")
    expect(page.get_by_role("button", name="Save")).to_be_in_viewport()
    assert from_one_to_the_other(page.get_by_role("button", name="Copy"), menu) == beside
    menu.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    page.get_by_label("Incomplete").check()
    page.get_by_label("In your own words").fill("Which acid?")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(f"#feedback-status-{message.pk}")).to_have_text("Saved. Thank you.")
    expect(page.locator(".feedback-why summary")).to_have_text("Incomplete: change")


def from_one_to_the_other(one: Locator, other: Locator) -> list[float]:
    """How far it is right and down, in pixels; looked at in one moment, since the page may be scrolling."""
    found: list[float] = one.evaluate(
        """(one, other) => {
            const [from, to] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
            return [Math.round(to.x - from.x), Math.round(to.y - from.y)];
        }""",
        other.element_handle(),
    )
    return found


def test_a_first_question_outlives_the_session(desk: Desk, people: Cast, chatbot: Chatbot) -> None:
    page = desk.sign_in(people.alice)
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.fill("#question", QUESTION)
    Session.objects.all().delete()
    page.click(".composer button")
    sign_in_again(page, people)
    page.wait_for_url(f"**/chatbots/{chatbot.pk}/")
    expect(page.locator("#question")).to_have_value(QUESTION)
    expect(page.locator(".composer [role=status]")).to_contain_text("has not been sent yet")
    page.click(".composer button")
    expect(page.locator(".question")).to_have_text(QUESTION)
    page.goto(f"/chatbots/{chatbot.pk}/")
    expect(page.locator("#question")).to_have_value("")


def test_a_first_question_outlives_a_form_that_is_out_of_date(desk: Desk, people: Cast, chatbot: Chatbot) -> None:
    page = desk.sign_in(people.alice)
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.wait_for_load_state("networkidle")  # the opening of the chatbot brings a new cookie
    page.fill("#question", QUESTION)
    page.context.clear_cookies(name="csrftoken")
    page.click(".composer button")
    expect(page.locator("h1")).to_have_text("Please try again")
    page.click("text=Go to the start")
    page.goto(f"/chatbots/{chatbot.pk}/")
    expect(page.locator("#question")).to_have_value(QUESTION)
    desk.errors.clear()  # browsers report the page that refuses


def test_a_chatbots_form_outlives_the_session_but_is_nobody_elses(desk: Desk, people: Cast) -> None:
    personal_document(people.alice)
    page = desk.sign_in(people.alice)
    page.goto("/chatbots/new/")
    page.fill("[name=name]", "Burettes")
    page.fill("[name=instructions]", "Explain\nit.")
    page.check("[name=personal_documents]")
    page.click("summary:has-text('More settings')")
    page.check("[name=when_unsure][value=general]")
    Session.objects.all().delete()
    page.click("main .actions button")
    sign_in_again(page, people)
    page.wait_for_url("**/chatbots/new/")
    expect(page.locator("[name=name]")).to_have_value("Burettes")
    expect(page.locator("[name=instructions]")).to_have_value("Explain\nit.")
    expect(page.locator("[name=personal_documents]")).to_be_checked()
    expect(page.locator("[name=when_unsure][value=general]")).to_be_checked()
    Session.objects.all().delete()
    page.click("main .actions button")
    page.fill("[name=login]", people.bob.user.email)
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url("**/chatbots/new/")
    expect(page.locator("[name=name]")).to_have_value("")
