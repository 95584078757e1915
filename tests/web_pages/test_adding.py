"""A web page becomes a document of a teacher, or of the library."""

from __future__ import annotations

import html as escaping
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.models import Collaborator
from corpus.models import Status
from knowledge.models import PersonalDocument
from references.models import ReferenceSettings
from school_library.models import SchoolDocument
from tests.factories import Cast, index_all, make_chatbot, make_message, make_program, signed_in
from tests.references.sites import Site
from tests.references.web import page, redirect

ADD, TO_LIBRARY = reverse("web_pages:add"), reverse("web_pages:add-to-library")
PAGE = (
    "<!doctype html><html><head><title>The water cycle</title></head><body><nav><a href='/'>Home</a></nav><main>"
    "<h1>The water cycle</h1><p>Water moves between sea, air and land all the time, driven by the heat of the sun.</p>"
    "<h2>Evaporation</h2><p>The sun warms the sea, and water rises as vapour into the air, where it cools again.</p>"
    "<table><tr><th>Month</th><th>Rain</th></tr><tr><td>May</td><td>55 mm</td></tr></table></main>"
    "<footer>Imprint</footer></body></html>"
)
SHELL = "<html><head><title>App</title></head><body><div id='root'></div><script src='/app.js'></script>Loading</body>"


@pytest.fixture(autouse=True)
def cycle(web: Site) -> None:
    web.pages["/cycle"] = page(PAGE)


def read_words(response: Any) -> str:
    return escaping.unescape(str(response.content.decode()))


def test_a_page_becomes_a_document_and_answers(
    alice: Client, cast: Cast, web: Site, allowed: ReferenceSettings
) -> None:
    response = alice.post(ADD, {"address": f" {web.url('/cycle')}#rain "})
    document = PersonalDocument.objects.for_member(cast.alice).get()
    assert response.headers["Location"] == reverse("knowledge:detail", args=[document.pk])
    index_all()
    document.refresh_from_db()
    assert (document.title, document.status) == ("The water cycle", Status.READY)
    assert document.newest.web_address == web.url("/cycle")
    text = "\n".join(document.chunks.values_list("text", flat=True))
    assert "55 mm" in text
    assert "Imprint" not in text
    assert ["The water cycle", "Evaporation"] in list(document.chunks.values_list("heading_path", flat=True))

    for shown in (reverse("knowledge:list"), reverse("knowledge:detail", args=[document.pk])):
        words = read_words(alice.get(shown))
        assert f'href="{web.url("/cycle")}"' in words
        assert "web page, fetched" in words
        assert "Fetch again" in words

    message = make_message(cast.alice, make_chatbot(cast.alice, personal=[document]), "Where does vapour cool?")
    source = message.sources.get(number=1)
    assert (source.address, source.read_at) == (web.url("/cycle"), document.newest.fetched_at)
    words = read_words(alice.get(reverse("chatbots:chat", args=[message.chat_id])))
    assert f"{source.host}<span" in words
    assert "fetched on" in words
    assert f'href="{source.get_absolute_url()}#passage"' in words, "its badge opens the document, not the site"
    assert "fetched on" in read_words(alice.get(source.get_absolute_url()))
    told = make_program(cast.alice).get(f"/api/v1/documents/{document.pk}").json()
    assert told["web_address"] == web.url("/cycle")
    assert told["fetched_at"]


def test_a_colleague_is_not_told_where_a_page_of_the_owner_is(
    alice: Client, cast: Cast, web: Site, allowed: ReferenceSettings
) -> None:
    """An address may be a secret of those who have it: colleagues of a shared chatbot get passages only."""
    alice.post(ADD, {"address": web.url("/cycle")})
    index_all()
    chatbot = make_chatbot(cast.alice, personal=[PersonalDocument.objects.get()], colleagues_get_documents=True)
    Collaborator.objects.create(
        school=chatbot.school, chatbot=chatbot, membership=cast.bob, shared_by=cast.alice, role="reader"
    )
    message = make_message(cast.bob, chatbot, "Where does vapour cool?")
    source = message.sources.get(number=1)
    assert "vapour" in source.text
    assert (source.address, source.read_at) == ("", None)
    assert web.url("/cycle") not in read_words(
        signed_in(cast.bob).get(reverse("chatbots:chat", args=[message.chat_id]))
    )


def test_the_links_stand_where_documents_are_added(alice: Client, cast: Cast) -> None:
    assert ADD in read_words(alice.get(reverse("knowledge:list")))
    assert f"{ADD}?next=start" in read_words(alice.get(reverse("chatbots:start")))
    assert TO_LIBRARY in read_words(signed_in(cast.carol).get(reverse("school_library:upload")))


def test_from_the_start_page_one_comes_back_to_it(alice: Client, web: Site, allowed: ReferenceSettings) -> None:
    response = alice.post(f"{ADD}?next=start", {"address": web.url("/cycle")}, follow=True)
    assert response.redirect_chain[-1][0] == reverse("chatbots:start")
    assert "The water cycle" in read_words(response)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/no-such-page", "The site has no such page (404)."),
        ("/app", "This page is mostly empty without JavaScript."),
        ("/file", "The site sent something else than a page of text (“application/pdf”). Save it on your computer"),
        ("/silent", "The page did not answer."),
        ("/elsewhere", "This is not a web address."),
        ("/large", "The page is larger than"),
    ],
)
def test_errors_are_told_and_the_address_stays(
    alice: Client, web: Site, allowed: ReferenceSettings, path: str, words: str
) -> None:
    web.pages |= {
        "/app": page(SHELL),
        "/file": page(b"%PDF-1.7", media_type="application/pdf"),
        "/silent": (b"HTTP/1.1 ",),
        "/elsewhere": redirect("file:///etc/passwd"),
        "/large": page("<p>" + "Water. " * 200_000),
    }
    response = alice.post(ADD, {"address": web.url(path)})
    assert response.status_code == 422
    assert words in read_words(response)
    assert f'value="{web.url(path)}"' in read_words(response)
    assert not PersonalDocument.objects.exists()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "Write or paste the address of a page."),
        ("ftp://water.example/", "The address must begin with https://."),
        ("http://user:secret@water.example/", "a user name or a password"),
        ("https://water.example/" + "a" * 2000, "at most 2000 characters"),
    ],
)
def test_what_is_no_address_is_told(alice: Client, allowed: ReferenceSettings, address: str, words: str) -> None:
    response = alice.post(ADD, {"address": address})
    assert response.status_code == 422
    assert words in read_words(response)


def test_nothing_is_fetched_unless_the_school_allows_it(alice: Client, cast: Cast, web: Site) -> None:
    assert "Your school has not switched on web pages." in read_words(alice.get(ADD))
    response = alice.post(ADD, {"address": web.url("/cycle")})
    assert response.status_code == 422
    assert "Your school has not switched on web pages as documents." in read_words(response)
    assert f'value="{web.url("/cycle")}"' in read_words(response)
    assert reverse("references:index") in read_words(signed_in(cast.carol).get(TO_LIBRARY))
    # Another school's switch is no help.
    ReferenceSettings.objects.create(school=cast.charlie.school, allows_web_pages=True, allows_http=True)
    assert alice.post(ADD, {"address": web.url("/cycle")}).status_code == 422
    assert not web.peer.connections


@pytest.mark.parametrize("switch", ["allows_outside_calls", "allows_http"])
def test_the_other_switches_hold_as_well(alice: Client, web: Site, allowed: ReferenceSettings, switch: str) -> None:
    ReferenceSettings.objects.update(**{switch: False})
    assert alice.post(ADD, {"address": web.url("/cycle")}).status_code == 422
    assert not web.peer.connections


def test_no_page_of_this_machine_is_fetched(
    alice: Client, web: Site, allowed: ReferenceSettings, settings: Settings
) -> None:
    settings.LECTERN_FETCH_LOOPBACK = False
    response = alice.post(ADD, {"address": web.url("/cycle")})
    assert "pages are on the usual port of a web server" in read_words(response)
    response = alice.post(ADD, {"address": "http://127.0.0.1/"})
    assert "There is no public site 127.0.0.1" in read_words(response)
    assert not web.peer.connections


def test_the_same_page_again_leads_to_its_document(alice: Client, web: Site, allowed: ReferenceSettings) -> None:
    alice.post(ADD, {"address": web.url("/cycle")})
    web.pages["/moved"] = redirect("/cycle")
    response = alice.post(ADD, {"address": web.url("/moved")}, follow=True)
    assert "This page is there already, as “The water cycle”." in read_words(response)
    assert PersonalDocument.objects.count() == 1


def test_only_admins_add_pages_to_the_library(cast: Cast, web: Site, allowed: ReferenceSettings) -> None:
    sent = {"address": web.url("/cycle")}
    assert signed_in(cast.bob).post(TO_LIBRARY, sent).status_code == 403
    for address in (ADD, TO_LIBRARY):
        assert Client().post(address, sent).headers["Location"].startswith("/accounts/login/")
    assert not web.peer.connections
    signed_in(cast.carol).post(TO_LIBRARY, sent)
    document = SchoolDocument.objects.for_school(cast.carol.school).get()
    assert (document.title, document.newest.web_address) == ("The water cycle", web.url("/cycle"))
    assert not PersonalDocument.objects.exists()
