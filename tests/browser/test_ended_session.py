"""What was typed or chosen outlives the session: the page stays, says what happened, and can be sent once more."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import Page, expect

from knowledge.models import PersonalDocument
from tests.browser.conftest import Desk
from tests.factories import ACIDS, PASSWORD, Cast, personal_document

pytestmark = pytest.mark.browser
SIGNED_OUT = "You have been signed out. Sign in again in a new tab, then send this once more."


def end_session(page: Page) -> None:
    Session.objects.all().delete()


def lose_csrf_cookie(page: Page) -> None:
    page.context.clear_cookies(name="csrftoken")


@pytest.mark.parametrize("happens", [end_session, lose_csrf_cookie])
def test_what_was_chosen_can_be_sent_after_signing_in_again(
    desk: Desk, people: Cast, tmp_path: Path, happens: Callable[[Page], None]
) -> None:
    for number in range(12):
        personal_document(people.alice, f"# {number}", f"{number}.md")
    file = tmp_path / "acids.md"
    file.write_text(ACIDS)
    page = desk.sign_in(people.alice)
    page.goto(reverse("knowledge:list"))
    page.set_input_files("input[name=files]", str(file))
    happens(page)
    page.click("button:has-text('Upload')")
    told = page.get_by_role("alert")
    expect(told).to_contain_text(SIGNED_OUT)
    expect(told).to_be_in_viewport()
    assert page.locator("input[name=files]").evaluate("input => input.files.length") == 1
    with page.context.expect_page() as opened:
        told.get_by_role("link", name="Sign in").click()
    if happens is end_session:
        opened.value.fill("[name=login]", people.alice.user.email)
        opened.value.fill("[name=password]", PASSWORD)
        opened.value.click("main button")
    opened.value.wait_for_url("**/chatbots/")
    page.click("button:has-text('Upload')")
    expect(page.locator("#messages")).to_contain_text("is uploaded")
    expect(told).to_be_empty()
    assert PersonalDocument.objects.filter(title="acids").exists()
    if happens is lose_csrf_cookie:
        desk.errors[:] = [error for error in desk.errors if "403" not in error]


def test_a_failed_request_is_told_in_view_and_over_a_dialog(desk: Desk, people: Cast) -> None:
    for number in range(12):
        personal_document(people.alice, f"# {number}", f"{number}.md")
    page = desk.sign_in(people.alice)
    page.goto(reverse("knowledge:list"))
    last = page.locator(".row").last
    last.locator("summary").click()
    page.route("**/rename/", lambda route: route.fulfill(status=500, body=""))
    last.get_by_role("link", name="Title and subject").click()
    told = page.get_by_role("alert")
    expect(told).to_be_in_viewport()
    expect(told).to_contain_text("Something went wrong on the server")
    assert page.evaluate("scrollY") > 0
    told.get_by_role("button", name="Close").click()
    expect(told).to_be_empty()
    desk.errors[:] = [error for error in desk.errors if "500" not in error]


def test_after_an_upload_the_library_is_the_address(desk: Desk, people: Cast, tmp_path: Path) -> None:
    file = tmp_path / "safety.md"
    file.write_text("# Safety")
    page = desk.sign_in(people.carol)
    page.goto(reverse("school_library:upload"))
    page.set_input_files("input[name=files]", str(file))
    page.click("button:has-text('Upload')")
    expect(page.locator("#messages")).to_contain_text("is uploaded")
    page.wait_for_url("**" + reverse("school_library:list"))
    page.reload()
    expect(page.locator(".row")).to_have_count(1)
