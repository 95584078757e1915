"""A citation shows the number that is printed on the page, and opens the page of the file."""

from __future__ import annotations

import io

import pytest
from django.test import Client
from django.urls import reverse
from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName
from reportlab.pdfgen.canvas import Canvas

from chatbots.models import MessageSource
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.django_db


def reader() -> bytes:
    """A reader whose first page is page i, and whose second is page 1."""
    file = io.BytesIO()
    canvas = Canvas(file)
    for text in ("This reader was made by the geography group.", "Permafrost is ground that stays frozen all year."):
        canvas.drawString(72, 700, text)
        canvas.showPage()
    ranges = [0, PDFDictionary({"S": PDFName("r")}), 1, PDFDictionary({"S": PDFName("D")})]
    canvas._doc.Catalog.PageLabels = PDFDictionary({"Nums": PDFArray(ranges)})
    canvas.save()
    return file.getvalue()


def test_a_citation_shows_the_printed_number_of_its_page(people: Cast) -> None:
    document = personal_document(people.alice, reader(), "reader.pdf")
    assert document.newest.page_labels == ["i", "1"]
    message = make_message(people.alice, make_chatbot(people.alice, personal=[document]), "What is permafrost?")
    source = MessageSource.objects.get(message=message, number=1)
    assert (source.page, source.page_label, source.where) == (2, "1", "page 1")
    assert "page=2" in source.drawn_page
    client = Client()
    client.force_login(people.alice.user)
    text = client.get(reverse("knowledge:detail", args=[document.pk])).content.decode()
    assert "page i" in text
    drawn = client.get(f"{reverse('knowledge:page', args=[document.pk])}?page=2").content.decode()
    assert "Page 1 of" in drawn
