"""Whoever reads a text that was recognised from a scan is told so: on the document's page, in its text, beside a
citation and where its source opens."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.models import MessageSource
from corpus.models import Stage, Status
from knowledge.models import PersonalDocument
from tests import documents
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.django_db
QUESTION = "How strong is the hydrochloric acid in year 9?"
MARK = "recognised from a scan"


def scanned(people: Cast, pages: list[int]) -> PersonalDocument:
    """A document of three pages, of which some were scans."""
    texts = [
        ["Acids turn litmus red."],
        ["Hydrochloric acid of 0.5 mol/l is used in year 9."],
        ["Bases turn litmus blue."],
    ]
    document = personal_document(people.alice, documents.pdf(texts), "acids.pdf")
    document.versions.update(recognised_pages=pages)
    return document


def signed_in(people: Cast) -> Client:
    client = Client()
    client.force_login(people.alice.user)
    return client


@pytest.mark.parametrize(("pages", "marked"), [([2], True), ([1, 3], False), ([], False)])
def test_a_source_says_whether_it_is_from_a_scan(people: Cast, pages: list[int], marked: bool) -> None:
    chatbot = make_chatbot(people.alice, personal=[scanned(people, pages)])
    message = make_message(people.alice, chatbot, QUESTION)
    source = MessageSource.objects.get(message=message, number=1)
    assert (source.page, source.is_recognised) == (2, marked)
    client = signed_in(people)
    chat = client.get(reverse("chatbots:chat", args=[message.chat_id])).content.decode()
    note = chat.partition(f'id="note-{source.pk}"')[2].partition("</section>")[0]
    assert (MARK in note) == marked
    opened = client.get(reverse("chatbots:source", args=[source.pk])).content.decode()
    assert ("This page was recognised from a scan: its text may contain mistakes" in opened) == marked
    place = opened.partition('id="block-1"')[2].partition("</section>")[0]
    assert (MARK in place) == marked


def test_it_says_so_when_the_document_is_gone(people: Cast) -> None:
    document = scanned(people, [2])
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), QUESTION)
    document.delete()
    source = MessageSource.objects.filter(message=message, page=2).get()
    opened = signed_in(people).get(reverse("chatbots:source", args=[source.pk])).content.decode()
    assert "This page was recognised from a scan" in opened


def test_the_page_of_a_document_names_its_scans(people: Cast) -> None:
    document = scanned(people, [1, 2, 3])
    address = reverse("knowledge:detail", args=[document.pk])
    page = signed_in(people).get(address).content.decode()
    assert "Pages 1–3 were recognised from scans and may contain mistakes." in " ".join(page.split())
    assert page.count(MARK) >= 3
    document.versions.update(recognised_pages=[2])
    page = signed_in(people).get(address).content.decode()
    assert "Page 2 was recognised from a scan and may contain mistakes." in " ".join(page.split())
    document.versions.update(recognised_pages=[])
    assert MARK not in signed_in(people).get(address).content.decode()


def test_who_waits_sees_the_page_that_is_recognised(people: Cast) -> None:
    document = personal_document(people.alice, indexed=False)
    PersonalDocument.objects.filter(pk=document.pk).update(
        status=Status.INDEXING, stage=Stage.RECOGNISING, progress_done=2, progress_total=12
    )
    row = signed_in(people).get(reverse("knowledge:row", args=[document.pk])).content.decode()
    assert "Recognising text: page 3 of 12" in row
    assert 'max="12" value="2"' in row
