"""From a note of an answer to the page of the PDF as it is printed."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.models import Message, MessageSource
from corpus.ingestion import uploads
from corpus.reading.page_pictures import kept_pictures
from knowledge.models import PersonalDocument
from tests import documents
from tests.factories import (
    Cast,
    index_all,
    make_chatbot,
    make_file,
    make_message,
    personal_document,
    school_document,
    signed_in,
)

pytestmark = pytest.mark.django_db

PAGES = [["Iron melts at 1538 degrees."], ["Copper melts at 1085 degrees.", "", "Gallium melts in the hand."]]
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    kept_pictures.clear()


@pytest.fixture
def metals(people: Cast) -> PersonalDocument:
    return personal_document(people.alice, documents.pdf(PAGES), "metals.pdf")


@pytest.fixture
def message(people: Cast, metals: PersonalDocument) -> Message:
    return make_message(people.alice, make_chatbot(people.alice, personal=[metals]), "When does copper melt?")


def source_of(message: Message) -> MessageSource:
    return message.sources.get(page=2)


def link(message: Message) -> str:
    return reverse("chatbots:source-page", args=[source_of(message).pk])


def shown(browser: Client, message: Message) -> str:
    return browser.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()


def test_a_note_leads_to_its_page_with_the_passage_marked(
    people: Cast, metals: PersonalDocument, message: Message
) -> None:
    alice = signed_in(people.alice)
    assert f'hx-get="{link(message)}"' in shown(alice, message)
    response = alice.get(link(message), headers=HTMX, follow=True)
    position = metals.chunks.get(page=2).position
    address = reverse("knowledge:page", args=[metals.pk])
    assert response.redirect_chain == [(f"{address}?page=2&passage={position}", 302)]
    page = response.content.decode()
    assert "The passage is marked." in page
    assert "data-close" in page
    assert "data-close" not in alice.get(link(message), follow=True).content.decode(), "a page of its own has no dialog"


def test_of_the_library_too(people: Cast) -> None:
    document = school_document(people.carol, documents.pdf(PAGES), "metals.pdf")
    message = make_message(people.alice, make_chatbot(people.alice, school=[document]), "When does copper melt?")
    response = signed_in(people.alice).get(link(message))
    assert response["Location"].startswith(reverse("school_library:page", args=[document.pk]) + "?page=2")


def test_a_newer_version_is_shown_where_it_has_the_passage(
    people: Cast, metals: PersonalDocument, message: Message
) -> None:
    pages = [["A page in front of the others."], *PAGES]
    uploads.replace(metals, make_file(documents.pdf(pages), "metals.pdf"), by=people.alice.user)
    index_all()
    assert "?page=3&" in signed_in(people.alice).get(link(message))["Location"]


def test_without_the_passage_the_source_opens_instead(people: Cast, metals: PersonalDocument, message: Message) -> None:
    alice = signed_in(people.alice)
    uploads.replace(metals, make_file(documents.pdf([["Something else."]]), "metals.pdf"), by=people.alice.user)
    index_all()
    source = f"{source_of(message).get_absolute_url()}#passage"
    assert alice.get(link(message))["Location"] == source
    assert alice.get(link(message), headers=HTMX)["HX-Redirect"] == source
    uploads.delete(metals)
    assert alice.get(link(message))["Location"] == source
    assert link(message) not in shown(alice, message)


def test_what_is_no_pdf_has_no_page(people: Cast) -> None:
    document = personal_document(people.alice)
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]))
    assert "Show the page" not in shown(signed_in(people.alice), message)


def test_nobody_elses_sources(people: Cast, message: Message) -> None:
    for stranger in (people.bob, people.carol, people.charlie, people.chloe):
        assert signed_in(stranger).get(link(message)).status_code == 404
    assert Client().get(link(message))["Location"].startswith("/accounts/login/")
