"""Lists of documents in a browser: choosing several and acting on them, with scripts and without."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from knowledge.models import PersonalDocument
from tests.browser.conftest import Desk
from tests.browser.test_accessibility import axe, faults
from tests.factories import Cast, index_all, make_chatbot, personal_document

pytestmark = pytest.mark.browser

LIST = reverse("knowledge:list")


@pytest.fixture
def documents(people: Cast) -> list[PersonalDocument]:
    names = ("Rivers", "Acids", "Bases", "Forces", "Plants", "Light")
    made = [personal_document(people.alice, f"# {name}\n\n{name}.\n", f"{name}.md", indexed=False) for name in names]
    index_all()  # a row that waits asks for itself every second, also while it is deleted
    return made


def test_several_documents_are_chosen_filed_and_deleted(
    desk: Desk, people: Cast, documents: list[PersonalDocument]
) -> None:
    page = desk.sign_in(people.alice)
    page.goto(LIST)
    actions, everything = page.locator(".selected-actions"), page.get_by_label("Choose all")
    expect(actions).to_be_hidden()
    page.get_by_label("Choose Rivers").check()
    expect(actions).to_contain_text("1 document chosen")
    everything.check()
    expect(actions).to_contain_text("6 documents chosen")
    for name in ("Bases", "Forces", "Plants", "Light"):
        page.get_by_label(f"Choose {name}").uncheck()
    expect(everything).not_to_be_checked()

    page.get_by_role("button", name="Subject…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Subject of 2 documents")
    page.evaluate(axe.axe_script)
    assert not faults(page, 1280)
    dialog.get_by_label("Subject").fill("Science")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator("#messages")).to_contain_text("2 documents are filed under “Science”.")

    page.get_by_label("Subject").select_option("Science")
    expect(page.locator(".row")).to_have_count(2)
    expect(actions).to_be_hidden()
    everything.check()
    page.get_by_role("button", name="Delete…").last.click()
    expect(dialog).to_contain_text("Delete 2 documents?")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Delete…").last).to_be_focused()
    page.get_by_role("button", name="Delete…").last.click()
    dialog.get_by_role("button", name="Delete all 2").click()
    expect(page.locator("#messages")).to_contain_text("2 documents were deleted.")
    page.wait_for_url("**?*subject=Science*")
    assert PersonalDocument.objects.count() == 4


def test_without_scripts_the_same_is_done_on_pages(desk: Desk, people: Cast, documents: list[PersonalDocument]) -> None:
    chatbot = make_chatbot(people.alice, name="Science helper")
    page = desk.sign_in(people.alice, java_script_enabled=False)
    page.goto(LIST)
    page.get_by_label("Choose Rivers").check()
    page.get_by_label("Choose Acids").check()
    page.get_by_role("button", name="Give to a chatbot…").click()
    expect(page.locator("h1")).to_have_text("Give 2 documents to a chatbot")
    page.get_by_label("Science helper").check()
    page.get_by_role("button", name="Give").click()
    expect(page.locator("#messages")).to_contain_text("“Science helper” reads these 2 documents")
    assert chatbot.personal_links.count() == 2

    page.get_by_label("Choose Bases").check()
    page.get_by_role("button", name="Delete…").last.click()
    expect(page.locator("h1")).to_have_text("Delete 1 document?")
    page.get_by_role("button", name="Delete it").click()
    expect(page.locator("#messages")).to_contain_text("One document was deleted.")
    assert PersonalDocument.objects.count() == 5


def test_sending_files_tells_how_far_it_is(desk: Desk, people: Cast) -> None:
    """What the browser says while it sends is played here: the real thing is over too soon."""
    page = desk.sign_in(people.alice)
    page.goto(LIST)
    page.evaluate("""() => {
        const form = document.querySelector("[data-drop]"), tell = (name, detail) => htmx.trigger(form, name, detail);
        let now = 0;
        performance.now = () => now;
        tell("htmx:xhr:loadstart", {});
        now = 60_000;
        tell("htmx:xhr:progress", {lengthComputable: true, loaded: 30, total: 120});
    }""")
    sending = page.locator("[data-sending]")
    expect(sending).to_contain_text("Sending: 25%, about 3 minutes left")
    assert sending.locator("progress").evaluate("bar => bar.value") == 0.25
