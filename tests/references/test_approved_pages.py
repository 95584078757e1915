"""The pages on which admins allow sources and keep topics."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from references.approved.reading import read_approved_page
from references.models import ApprovedPage, ApprovedTopic, PageState, ReferenceSettings
from tests.factories import Cast, signed_in
from tests.references.sites import DEPOSIT, NOTICE, Site, allow, html, make_topic, only_page
from tests.references.web import page, redirect

pytestmark = pytest.mark.django_db


@pytest.fixture
def carol(people: Cast) -> Client:
    return signed_in(people.carol)


def url(name: str, *args: object) -> str:
    return reverse(f"references:{name}", args=args)


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return str(response.content.decode())


def test_everything_is_off_until_an_admin_allows_it(people: Cast, carol: Client) -> None:
    school = people.carol.school
    assert not ReferenceSettings.of(school).allows_approved
    assert "They answer as soon as you allow them" in text(carol, url("index"))
    carol.post(url("index"), {"allows_approved": "on", "allows_outside_calls": "on"})
    saved = ReferenceSettings.of(school)
    assert (saved.allows_approved, saved.allows_outside_calls) == (True, True)
    assert not (saved.allows_wikipedia_live or saved.allows_wikipedia_offline or saved.allows_http)
    carol.post(url("index"), {})
    assert not ReferenceSettings.of(school).allows_outside_calls
    assert ReferenceSettings.objects.count() == 1
    assert not ReferenceSettings.of(people.chloe.school).allows_approved


def test_the_operator_s_switch_is_said(carol: Client, settings: Settings) -> None:
    settings.LECTERN_OFFLINE = True
    assert "The operator of this installation has switched calls" in text(carol, url("index"))
    assert "no page is read" in text(carol, url("topics"))


def test_only_admins_are_led_there(people: Cast, carol: Client) -> None:
    assert url("index") in text(carol, reverse("schools:members"))
    assert url("index") not in text(signed_in(people.alice), reverse("school_library:list"))


def test_a_topic_takes_as_many_statements_for_many_pages_as_for_one(people: Cast, carol: Client) -> None:
    topic = ApprovedTopic.objects.create(school=people.carol.school, name="Chess", keywords=["chess", "club"])
    taken = []
    carol.get(url("topics"))  # the first page of a session notes it
    for number in (1, 5):
        for one in range(number):
            address = f"https://chess.example/{number}/{one}"
            ApprovedPage.objects.create(school=topic.school, topic=topic, address=address, position=10 * number + one)
        with CaptureQueriesContext(connection) as captured:
            assert text(carol, url("topic", topic.pk)).count("It is being read.") == topic.pages.count()
        taken.append(len(captured))
    assert taken[0] == taken[1]


def test_a_topic_is_made_changed_and_deleted(people: Cast, carol: Client) -> None:
    values = {
        "name": "Renting",
        "keywords": "rent, deposit\ntenant",
        "addresses": "https://a.example\nhttps://b.example/x",
    }
    response = carol.post(url("add-topic"), values)
    topic = ApprovedTopic.objects.get()
    assert response["Location"] == url("topic", topic.pk)
    assert topic.keywords == ["rent", "deposit", "tenant"]
    assert "https://b.example/x" in text(carol, url("edit-topic", topic.pk))
    carol.post(url("edit-topic", topic.pk), values | {"addresses": "https://b.example/x"})
    assert only_page(topic).address == "https://b.example/x"
    carol.post(url("topic", topic.pk), {"addresses": "https://c.example/\nhttps://b.example/x"})
    assert topic.pages.count() == 2
    assert "its 2 pages" in text(carol, url("delete-topic", topic.pk)).lower()
    carol.post(url("delete-topic", topic.pk))
    assert not ApprovedTopic.objects.exists()
    assert not ApprovedPage.objects.exists()


@pytest.mark.parametrize("name", ["add-topic", "edit-topic", "topic"])
def test_a_wrong_address_loses_nothing_that_was_written(people: Cast, carol: Client, name: str) -> None:
    args = [] if name == "add-topic" else [make_topic(people.carol.school, read=False).pk]
    written = {"name": "New one", "keywords": "one, two", "addresses": "https://right.example/\nwrong.example"}
    response = carol.post(url(name, *args), written)
    shown = response.content.decode()
    assert response.status_code == 422
    assert "“wrong.example”: An address begins with https://." in shown
    assert "https://right.example/\nwrong.example" in shown
    assert not ApprovedPage.objects.exists()


def test_the_page_of_a_topic_says_how_each_address_is(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    web.pages["/notice"] = NOTICE
    topic = make_topic(people.carol.school, web.url(), web.url("/nowhere"), web.url("/notice"))
    web.pages["/notice"] = page("", status=503)
    read_approved_page(topic.pages.get(address=web.url("/notice")).pk)
    shown = text(carol, url("topic", topic.pk))
    assert DEPOSIT in shown
    for words in (
        "Fresh",
        "Failed",
        "The site has no such page (404).",
        "It is not used in answers.",
        "Stale",
        "(503)",
    ):
        assert words in shown, words
    assert 'target="_blank" rel="noopener noreferrer"' in shown
    rows = text(carol, url("topics"))
    for words in ("1 failed", "1 stale", "1 fresh"):
        assert words in rows


def test_a_changed_page_shows_both_texts_until_it_is_approved(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    topic = make_topic(people.carol.school, web.url())
    one = only_page(topic)
    web.pages["/deposit"] = DEPOSIT.replace("thirty", "fourteen")
    carol.post(url("read-page", one.pk))
    shown = text(carol, url("topic", topic.pk))
    assert "The approved text is used until you approve the new one." in shown
    approved, current = shown.index("Approved, answers"), shown.index("On the page now")
    assert "thirty" in shown[approved:current] and "fourteen" not in shown[approved:current]
    assert "fourteen" in shown[current:] and "thirty" not in shown[current:]
    carol.post(url("approve-page", one.pk), {"seen": "another text"})
    assert only_page(topic).state == PageState.CHANGED
    carol.post(url("approve-page", one.pk), {"seen": only_page(topic).seen_hash})
    assert only_page(topic).state == PageState.FRESH
    assert "fourteen" in only_page(topic).approved_text
    assert "On the page now" not in text(carol, url("topic", topic.pk))


def test_a_changed_title_and_address_are_shown(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    topic = make_topic(people.carol.school, web.url())
    web.pages |= {"/deposit": redirect("/moved"), "/moved": page(html(DEPOSIT, title="Another <title>"))}
    carol.post(url("read-page", only_page(topic).pk))
    shown = text(carol, url("topic", topic.pk))
    for words in ("Deposits – Office for Housing", "Title: Another &lt;title&gt;", web.url("/moved")):
        assert words in shown


def test_text_of_a_page_is_never_markup_of_ours(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    evil = (
        "The &lt;script&gt;alert(1)&lt;/script&gt; of the landlord stands in this sentence, and it goes on for long. "
    )
    web.pages["/deposit"] = evil * 2
    topic = make_topic(people.carol.school, web.url())
    assert "<script>alert(1)" in only_page(topic).approved_text
    assert "<script>alert(1)" not in text(carol, url("topic", topic.pk))


def test_a_new_page_asks_for_itself_until_it_has_been_read(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    topic = make_topic(people.carol.school, web.url(), read=False)
    one = only_page(topic)
    poll = f'hx-get="{url("page", one.pk)}"'
    assert poll in text(carol, url("topic", topic.pk))
    assert poll in text(carol, url("page", one.pk))
    read_approved_page(one.pk)
    assert poll not in text(carol, url("page", one.pk))
    assert DEPOSIT in text(carol, url("page", one.pk))


def test_reading_again_says_what_came_of_it(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    one = only_page(make_topic(people.carol.school, web.url(), read=False))
    assert "was read: fresh." in carol.post(url("read-page", one.pk), follow=True).content.decode()
    web.pages["/deposit"] = page("", status=404)
    assert "no such page (404)" in carol.post(url("read-page", one.pk), follow=True).content.decode()
    ReferenceSettings.objects.update(allows_outside_calls=False)
    shown = carol.post(url("read-page", one.pk), follow=True).content.decode()
    assert "Not read: This school has switched calls to the outside off." in shown


def test_all_pages_can_be_queued(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    assert "nothing to read" in carol.post(url("warm"), follow=True).content.decode()
    make_topic(people.carol.school, web.url(), read=False)
    assert "1 page will be read again" in carol.post(url("warm"), follow=True).content.decode()


def test_a_table_is_exported_and_imported(people: Cast, carol: Client) -> None:
    make_topic(people.carol.school, "https://a.example/", read=False)
    exported = carol.get(url("export"))
    assert exported["Content-Type"] == "text/csv; charset=utf-8"
    assert "approved-pages-riverside.csv" in exported["Content-Disposition"]
    file = SimpleUploadedFile("pages.csv", exported.content.replace(b"Renting", b"Homes"))
    assert carol.post(url("import"), {"file": file})["Location"] == url("topics")
    assert [one.name for one in ApprovedTopic.objects.all()] == ["Homes", "Renting"]


def test_what_an_import_cannot_take_stands_in_the_form(carol: Client) -> None:
    table = "name;keywords;address\nNew;one, two;https://a.example/\nOld;one, two;nowhere\n"
    response = carol.post(url("import"), {"table": table})
    shown = response.content.decode()
    assert response.status_code == 422
    assert "Line 3: “nowhere”: An address begins with https://." in shown
    assert "Old;one, two;nowhere" in shown
    assert "New;one, two" not in shown
    assert ApprovedTopic.objects.get().name == "New"
    for nothing in ({}, {"table": "x"}, {"file": SimpleUploadedFile("x.csv", b"")}):
        assert carol.post(url("import"), nothing).status_code == 422


def test_the_operator_keeps_topics_in_django_admin(people: Cast, web: Site) -> None:
    allow(people.carol.school)
    operator = people.bob.user
    operator.is_staff = operator.is_superuser = True
    operator.save()
    client = signed_in(people.bob)
    prefix = {"pages-TOTAL_FORMS": "2", "pages-INITIAL_FORMS": "0"}
    values = {"school": people.carol.school.pk, "name": "Renting", "keywords": "rent,deposit", **prefix}
    add = reverse("admin:references_approvedtopic_add")
    wrong = client.post(add, values | {"pages-0-address": "ftp://x"})
    assert "must begin with https://" in wrong.content.decode()
    assert "two different keywords" in client.post(add, values | {"keywords": "rent,rents"}).content.decode()
    assert not ApprovedTopic.objects.exists()
    assert client.post(add, values | {"pages-0-address": web.url()}).status_code == 302
    one = ApprovedPage.objects.get()
    assert (one.address, one.school) == (web.url(), people.carol.school)
    for name in ("approvedtopic", "approvedpage", "referencesettings"):
        assert client.get(reverse(f"admin:references_{name}_changelist"), {"q": "rent"}).status_code == 200
    assert client.get(reverse("admin:references_approvedtopic_change", args=[one.topic_id])).status_code == 200
    chosen = {"action": "read_again", "_selected_action": [str(one.pk)]}
    told = client.post(reverse("admin:references_approvedpage_changelist"), chosen, follow=True)
    assert "read in the background" in told.content.decode()
