"""A refusal helps on in its place: a document is linked or added, and the question asked again."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from chatbots.models import Chatbot
from tests.browser.conftest import Desk
from tests.chatbots.test_helping_on import CANTEEN, QUESTION
from tests.factories import Cast, index_all, make_message, school_document

pytestmark = pytest.mark.browser


def test_a_library_document_is_linked_and_answers(desk: Desk, people: Cast, chatbot: Chatbot) -> None:
    school_document(people.carol, CANTEEN, "canteen.md")
    message = make_message(people.alice, chatbot, QUESTION)
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{message.chat_id}/")
    button = page.get_by_role("button", name="Link it and ask again: canteen")
    expect(button).to_be_visible()
    for scheme, width in (("dark", 390), ("light", 1280)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        assert not Axe().run(page).response["violations"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    button.click()
    expect(page.locator(".answer[data-finished]")).to_contain_text("11:30 to 13:45")
    expect(page.locator(".versions")).to_contain_text("Answer 2 of 2")


def test_a_document_is_added_and_answers(desk: Desk, people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    page = desk.sign_in(people.alice)
    page.goto(f"/chats/{message.chat_id}/")
    file = page.get_by_label("Add a document that answers it")
    file.set_input_files({"name": "hours.md", "mimeType": "text/markdown", "buffer": b""})
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".add-document")).to_contain_text("“hours.md” is empty")
    desk.errors.clear()  # the browser logs the 422 that was expected
    file.set_input_files({"name": "hours.md", "mimeType": "text/markdown", "buffer": CANTEEN.encode()})
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".added")).to_contain_text("is being read")
    index_all()
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".answer[data-finished]")).to_contain_text("11:30 to 13:45")
