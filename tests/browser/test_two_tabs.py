"""A form left open while the school was switched in another tab writes into neither school."""

import pytest
from playwright.sync_api import expect

from chatbots.models import Chatbot
from schools.models import Membership
from tests.browser.conftest import Desk
from tests.factories import Cast

pytestmark = pytest.mark.browser


def test_a_form_of_the_former_school_is_refused(desk: Desk, people: Cast) -> None:
    Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    first = desk.sign_in(people.alice)
    first.goto("/chatbots/new/")
    first.fill("[name=name]", "For Riverside")
    second = first.context.new_page()
    second.goto("/chatbots/")
    second.evaluate(
        """school => {
        const form = document.createElement("form"); form.method = "post"; form.action = "/schools/switch/";
        for (const [name, value] of [["school", school], ["csrfmiddlewaretoken", ""]]) {
          const field = document.createElement("input"); field.name = name; field.value = value; form.append(field); }
        document.body.append(form); form.requestSubmit(); }""",
        str(people.charlie.school_id),
    )
    expect(second.locator(".top")).to_contain_text("Hillcrest")
    first.click("button:has-text('Make the chatbot')")
    expect(first.locator("body")).to_contain_text("another tab")
    assert not Chatbot.objects.exists()
    second.goto("/chatbots/new/")
    second.fill("[name=name]", "For Hillcrest")
    second.click("button:has-text('Make the chatbot')")
    expect(second.locator("h1")).to_contain_text("For Hillcrest")
    desk.errors.clear()  # the browser logs the 403 that was expected
