"""The form says of each document what a chatbot reads of it while it, or its update, is on its way."""

from django.test import Client
from django.urls import reverse

from corpus.ingestion import uploads
from tests.factories import Cast, index_all, make_file, personal_document, school_document


def form(people: Cast) -> str:
    client = Client()
    client.force_login(people.alice.user)
    return client.get(reverse("chatbots:create")).content.decode()


def test_of_a_document_being_read(people: Cast) -> None:
    personal_document(people.alice, name="plan.md", indexed=False)
    assert "plan (being read, answers after that)" in form(people)
    index_all()
    assert "plan (" not in form(people)


def test_of_one_that_could_not_be_read(people: Cast) -> None:
    personal_document(people.alice, b"%PDF-1.7 nothing", "plan.pdf")
    assert "plan (could not be read)" in form(people)


def test_of_an_update_on_its_way_and_of_one_that_failed(people: Cast) -> None:
    for document, by in (
        (personal_document(people.alice), people.alice),
        (school_document(people.carol), people.carol),
    ):
        uploads.replace(document, make_file(b"%PDF-1.7 nothing", "new.pdf"), by=by.user)
    assert form(people).count("(version 1 keeps answering until version 2 has been read)") == 2
    index_all()
    assert form(people).count("(version 1 keeps answering: version 2 could not be read)") == 2
