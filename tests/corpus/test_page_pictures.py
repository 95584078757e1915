"""A page of a PDF as a picture: with the passage marked, for those who may read the passage, within limits."""

import io
import sys
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image, ImageChops

from chatbots.models import ChatbotRole
from chatbots.sharing.colleagues import share_with
from corpus.ingestion.readers.draw_page import view_page
from corpus.ingestion.readers.images import MAX_VIEW_PIXELS
from corpus.ingestion.sandbox import runner
from corpus.models import Document
from corpus.reading import page_pictures
from corpus.reading.page_marks import passage_marks
from corpus.reading.page_pictures import PageNotDrawn, kept_pictures, page_picture
from knowledge.models import PersonalDocument
from tests import documents, scans
from tests.factories import Cast, make_chatbot, make_message, personal_document, school_document, signed_in

PAGES = [
    ["Iron melts at 1538 degrees.", "", "Tin melts at 232 degrees."],
    ["Copper melts at 1085 degrees.", "", "Gallium melts in the hand."],
]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    kept_pictures.clear()


@pytest.fixture
def metals(cast: Cast) -> PersonalDocument:
    return personal_document(cast.alice, documents.pdf(PAGES), "metals.pdf")


def url(name: str, document: Document, query: str = "") -> str:
    return reverse(f"{document._meta.app_label}:{name}", args=[document.pk]) + query


def test_the_words_of_the_passage_are_marked_where_they_stand(cast: Cast, metals: PersonalDocument) -> None:
    chunk = metals.chunks.get(page=2)
    page = signed_in(cast.alice).get(url("page", metals, f"?page=2&passage={chunk.position}"))
    assert "The passage is marked." in page.content.decode()
    assert url("page-picture", metals) + "?page=2" in page.content.decode()
    picture, marks = page.context["picture"], page.context["marks"]
    image = Image.open(io.BytesIO(picture.data)).convert("L")
    assert image.size == (picture.width, picture.height)
    assert len(marks) == 2  # one for each line
    for mark in marks:
        box = (mark.x, mark.y, mark.x + mark.width, mark.y + mark.height)
        assert min(image.crop(box).tobytes()) < 80  # ink
        image.paste(255, box)
    assert image.getextrema() == (255, 255)  # and no ink anywhere else


def test_the_picture_is_a_webp_that_browsers_do_not_keep(cast: Cast, metals: PersonalDocument) -> None:
    response = signed_in(cast.alice).get(url("page-picture", metals, "?page=1"))
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, no-store"
    assert Image.open(io.BytesIO(response.content)).format == "WEBP"


def test_a_page_without_colours_has_16_shades_and_weighs_less(cast: Cast) -> None:
    data = documents.long_pdf(2)
    exact, _ = view_page(data, 1)
    whole = io.BytesIO()
    exact.save(whole, "WEBP", lossless=True)
    picture = page_picture(personal_document(cast.alice, data, "long.pdf").newest, 1)
    shown = Image.open(io.BytesIO(picture.data)).convert("RGB")
    assert len(shown.getcolors(1 << 24) or ()) <= 16 < len(exact.getcolors(1 << 24) or ())
    assert max(ImageChops.difference(shown, exact).convert("L").tobytes()) <= 8
    assert len(picture.data) < 0.9 * len(whole.getvalue())


def test_a_page_with_a_coloured_picture_is_drawn_as_it_is(cast: Cast) -> None:
    photo = Image.merge("RGB", [Image.linear_gradient("L").rotate(turn) for turn in (0, 90, 180)])
    data = scans.pdf(["Iron melts at 1538 degrees."], photo)
    drawn, _ = view_page(data, 2)
    picture = page_picture(personal_document(cast.alice, data, "photo.pdf").newest, 2)
    assert Image.open(io.BytesIO(picture.data)).convert("RGB").tobytes() == drawn.tobytes()


def test_the_document_page_and_the_source_of_an_answer_offer_the_page(cast: Cast, metals: PersonalDocument) -> None:
    client = signed_in(cast.alice)
    assert url("page", metals, "?page=2") in client.get(url("detail", metals)).content.decode()
    message = make_message(
        cast.alice, make_chatbot(cast.alice, personal=[metals]), "At which degrees does copper melt?"
    )
    source = next(source for source in message.sources.all() if "Copper" in source.excerpt)
    page = client.get(reverse("chatbots:source", args=[source.pk])).content.decode()
    position = metals.chunks.get(page=2).position
    assert f"{url('page', metals)}?page=2&amp;passage={position}" in page
    note = client.get(reverse("chatbots:turn", args=[message.pk])).content.decode()
    assert f'hx-get="{url("page", metals)}?page=2&amp;passage={position}&amp;version=1"' in note


def test_a_colleague_who_asks_a_shared_chatbot_is_not_led_to_a_page_of_its_owner(
    cast: Cast, metals: PersonalDocument
) -> None:
    chatbot = make_chatbot(cast.alice, personal=[metals], colleagues_get_documents=True)
    share_with(chatbot=chatbot, owner=cast.alice, colleague=cast.bob, role=ChatbotRole.READER)
    message = make_message(cast.bob, chatbot, "At which degrees does copper melt?")
    note = signed_in(cast.bob).get(reverse("chatbots:turn", args=[message.pk])).content.decode()
    assert "Copper melts" in note and "Show the page" not in note


def test_a_passage_of_another_version_is_not_marked(cast: Cast, metals: PersonalDocument) -> None:
    chunk = metals.chunks.get(page=2)
    page = signed_in(cast.alice).get(url("page", metals, f"?page=2&passage={chunk.position}&version=7"))
    assert "The document has been updated since." in page.content.decode()
    assert page.context["marks"] == []


@pytest.mark.parametrize("name", ["page", "page-picture"])
def test_nobody_else_sees_a_page_of_a_personal_document(cast: Cast, metals: PersonalDocument, name: str) -> None:
    for stranger in (cast.bob, cast.carol, cast.charlie, cast.chloe):
        assert signed_in(stranger).get(url(name, metals)).status_code == 404
    assert Client().get(url(name, metals)).status_code == 302
    assert kept_pictures.get((metals.newest._meta.label, metals.newest.pk, 1)) is None


@pytest.mark.parametrize("name", ["page", "page-picture"])
def test_a_page_of_the_library_is_for_its_school_while_it_is_published(cast: Cast, name: str) -> None:
    shared = school_document(cast.carol, documents.pdf(PAGES), "metals.pdf")
    assert signed_in(cast.bob).get(url(name, shared)).status_code == 200
    assert signed_in(cast.charlie).get(url(name, shared)).status_code == 404
    type(shared).objects.filter(pk=shared.pk).update(is_published=False)
    detail = signed_in(cast.bob).get(url("detail", shared)).status_code
    assert signed_in(cast.bob).get(url(name, shared)).status_code == detail


def test_no_page_of_another_kind_is_offered_and_of_a_file_that_is_away_it_is_said(
    cast: Cast, metals: PersonalDocument
) -> None:
    client = signed_in(cast.alice)
    notes = personal_document(cast.alice, "# Notes\n\nIron rusts.", "notes.md")
    assert "Show the page" not in client.get(url("detail", notes)).content.decode()
    assert "draws no pictures of this kind of file" in client.get(url("page", notes)).content.decode()
    assert client.get(url("page-picture", notes)).status_code == 404
    version = metals.newest
    version.file.storage.delete(str(version.file.name))
    for name in ("page", "page-picture"):
        response = client.get(url(name, metals))
        assert response.status_code == 503
        assert "This server cannot reach the file just now" in response.content.decode()


@pytest.mark.parametrize("query", ["?page=3", "?page=99999999"])
def test_a_page_that_is_not_there_is_not_found(cast: Cast, metals: PersonalDocument, query: str) -> None:
    assert signed_in(cast.alice).get(url("page", metals, query)).status_code == 404


@pytest.mark.parametrize("query", ["", "?page=x", "?page=0", "?passage=77", "?passage=x"])
def test_odd_numbers_show_the_first_page_without_marks(cast: Cast, metals: PersonalDocument, query: str) -> None:
    page = signed_in(cast.alice).get(url("page", metals, query))
    assert page.status_code == 200
    assert page.context["number"] == 1
    assert page.context["marks"] == []


def test_the_page_says_that_the_passage_is_elsewhere_or_was_not_found(cast: Cast, metals: PersonalDocument) -> None:
    client = signed_in(cast.alice)
    chunk = metals.chunks.get(page=2)
    assert "it begins on" in client.get(url("page", metals, f"?page=1&passage={chunk.position}")).content.decode()
    type(chunk).objects.filter(pk=chunk.pk).update(text="Words that are nowhere in this file at all.")
    page = client.get(url("page", metals, f"?page=2&passage={chunk.position}"))
    assert "shown without marks" in page.content.decode()


def test_a_page_that_cannot_be_drawn_says_so(cast: Cast, metals: PersonalDocument) -> None:
    version = metals.newest
    with version.file.storage.open(str(version.file.name), "rb") as file:
        path = file.name
    with open(path, "wb") as file:  # noqa: PTH123 - a disk that has lost the content
        file.write(b"%PDF-1.4 nothing")
    page = signed_in(cast.alice).get(url("page", metals))
    assert page.status_code == 503
    assert "This page cannot be drawn" in page.content.decode()
    assert "Show the page" not in page.content.decode()
    assert signed_in(cast.alice).get(url("page-picture", metals)).status_code == 503


def test_a_page_is_drawn_once_and_few_are_kept(metals: PersonalDocument) -> None:
    version = metals.newest
    first = page_picture(version, 1)
    assert page_picture(version, 1) is first
    with patch.object(page_pictures, "MAX_KEPT", len(first.data)):
        page_picture(version, 2)
    assert kept_pictures.get((version._meta.label, version.pk, 1)) is None
    assert kept_pictures.get((version._meta.label, version.pk, 2)) is not None


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "{}",
        "[]\\n",
        '{"width": 2, "height": 1, "words": []}\\nxxx',
        '{"width": 100000, "height": 100000, "words": []}\\n',
        '{"width": 1, "height": 1, "words": [["a", [[0, 0, 9, 9]]]]}\\nxxx',
        '{"width": "1", "height": 1, "words": 1}\\nxxx',
    ],
)
def test_a_process_that_was_taken_over_cannot_say_what_is_shown(metals: PersonalDocument, reply: str) -> None:
    worker = (sys.executable, "-c", f"print('''{reply}''', end='')")
    with patch.object(runner, "WORKER", worker), pytest.raises(PageNotDrawn):
        page_picture(metals.newest, 1)


def test_a_process_that_takes_too_long_is_ended(metals: PersonalDocument) -> None:
    worker = (sys.executable, "-c", "import time; time.sleep(60)")
    with (
        patch.object(runner, "WORKER", worker),
        patch.object(page_pictures, "SECONDS", 1),
        pytest.raises(PageNotDrawn, match="too long"),
    ):
        page_picture(metals.newest, 1)


def test_a_huge_page_is_drawn_small() -> None:
    picture, words = view_page(scans.pdf(["A poster."]), 1)
    assert picture.mode == "RGB"
    assert picture.width * picture.height <= MAX_VIEW_PIXELS
    assert [word for word, _ in words] == ["A", "poster."]


def test_a_word_that_is_broken_between_lines_has_two_boxes() -> None:
    words = [
        ("photosynthesis", ((0, 0, 9, 9), (0, 20, 9, 29))),
        ("needs", ((10, 20, 20, 29),)),
        ("light", ((21, 20, 30, 29),)),
    ]
    assert [(mark.x, mark.y) for mark in passage_marks("Photosynthesis needs light.", words)] == [(0, 0), (0, 18)]


def test_a_passage_of_a_table_is_found_row_by_row() -> None:
    words = [
        (word, ((10 * n, 0, 10 * n + 8, 8),))
        for n, word in enumerate(["Pupil", "Maths", "Art", "Aylin", "87", "74", "Bruno", "64", "93"])
    ]
    table = "| Pupil | Maths | Art |\n| --- | --- | --- |\n| Aylin | 87 | 74 |\n| Bruno | 64 | 93 |"
    assert len(passage_marks(table, words)) == 1
    assert passage_marks("Three other words.", words) == []
    assert passage_marks("", words) == []
