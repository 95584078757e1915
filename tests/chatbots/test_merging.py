"""A document that is put into another takes its chatbots and the sources of old answers along (D7, C4)."""

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.citations.source_view import find_changes, open_source
from corpus.ingestion import uploads
from tests.factories import (
    ACIDS,
    SAFETY,
    Cast,
    index_all,
    make_chatbot,
    make_message,
    personal_document,
    school_document,
)

STRONG = "How strong may hydrochloric acid be for year 9?"
NEWER = ACIDS.replace("0.5", "0.1")


def test_chatbots_that_read_the_one_read_the_other(people: Cast) -> None:
    old, second = personal_document(people.alice), personal_document(people.alice, NEWER, "second.md")
    one, both, neither = (make_chatbot(people.alice, personal=documents) for documents in ([second], [old, second], []))
    uploads.merge(second, old)
    assert [list(chatbot.personal_documents.all()) for chatbot in (one, both, neither)] == [[old], [old], []]


def test_chatbots_of_colleagues_go_on_reading_the_library(people: Cast) -> None:
    old = school_document(people.carol)
    second = school_document(people.carol, SAFETY.replace("LS-07", "LS-08"), "second.md")
    theirs = make_chatbot(people.bob, school=[second])
    uploads.merge(second, old)
    assert list(theirs.school_documents.all()) == [old]


@pytest.mark.django_db  # a search has a connection of its own
def test_sources_of_old_answers_are_found_in_the_other(people: Cast, client: Client) -> None:
    old = personal_document(people.alice, "# Other\n\nOf lye and soap.", "old.md", title="Practicals")
    second = personal_document(people.alice)
    message = make_message(people.alice, make_chatbot(people.alice, personal=[second]), STRONG)
    source = message.sources.earliest("number")
    bystander = make_message(people.alice, make_chatbot(people.alice, personal=[old]), "What of lye?")
    uploads.merge(second, old)
    index_all()
    source.refresh_from_db()
    assert (source.document_id, source.version, source.document_title) == (old.pk, 2, "acids")
    opened = open_source(source, people.alice, answer=source.message.answer)
    assert (opened["state"], opened["document"]) == ("same", old)
    assert find_changes([message], people.alice) == {}
    client.force_login(people.alice.user)
    page = client.get(reverse("chatbots:source", args=[source.pk])).content.decode()
    assert "It is now part of “Practicals”." in page
    assert "deleted since" not in page
    assert bystander.sources.get().version == 1
