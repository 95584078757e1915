"""Adding a page to a topic: its text appears without a reload, as soon as the worker has read it."""

import re

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from references.approved.reading import read_approved_page
from tests.browser.conftest import Desk
from tests.factories import Cast
from tests.references.sites import DEPOSIT, allow, make_topic, only_page, site

pytestmark = pytest.mark.browser


def test_an_added_page_shows_its_text_when_it_has_been_read(desk: Desk, people: Cast, settings: Settings) -> None:
    settings.LECTERN_FETCH_LOOPBACK = True
    allow(people.carol.school)
    topic = make_topic(people.carol.school)
    with site() as web:
        page = desk.sign_in(people.carol)
        page.goto(f"/references/topics/{topic.pk}/")
        page.get_by_label("Their addresses").fill(web.url())
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text("It is being read.")).to_be_visible()
        read_approved_page(only_page(topic).pk)
        expect(page.get_by_text(DEPOSIT)).to_be_visible()
        expect(page.get_by_text(re.compile("^Fresh$"))).to_be_visible()
        expect(page.locator("[hx-get*='/references/pages/']")).to_have_count(0)


def test_deleting_a_topic_is_asked_about_in_a_dialog(desk: Desk, people: Cast) -> None:
    topic = make_topic(people.carol.school)
    page = desk.sign_in(people.carol)
    page.goto(f"/references/topics/{topic.pk}/")
    page.get_by_role("link", name="Delete…").click()
    expect(page.get_by_role("dialog")).to_contain_text("Delete “Renting”?")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("was deleted")).to_be_visible()
