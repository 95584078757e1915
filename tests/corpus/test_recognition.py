"""Scanned pages are read by Tesseract where it is installed, and named where it is not (D2)."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection
from PIL import Image, ImageChops
from pytest_django import Settings
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.ingestion.ocr import tesseract
from corpus.models import Status
from knowledge.models import PersonalDocument
from tests import documents, scans
from tests.factories import Cast, index_all, personal_document
from tests.scans import NEEDS_TESSERACT

pytestmark = pytest.mark.django_db
CELLS = ["Respiration releases energy from sugar.", "It happens in the mitochondria of every cell."]
WATER = ["Water boils at a hundred degrees.", "At great heights it boils earlier."]
PRINTED = ["This page was printed and has text of its own."]


@pytest.fixture
def without_tesseract(settings: Settings) -> None:
    settings.LECTERN_TESSERACT = "no-such-program"


def found(document: PersonalDocument) -> list[tuple[int | None, str]]:
    chunks = document.chunks.order_by("position")
    return [(chunk.page, " ".join(chunk.text.split())) for chunk in chunks]


def page_with_picture() -> bytes:
    """A page with a line of text above a picture of two lines."""
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 760, PRINTED[0])
    canvas.drawImage(ImageReader(scans.page(WATER).crop((100, 100, 1240, 300))), 72, 500, 400, 70)
    canvas.save()
    return file.getvalue()


def crooked_photo(lines: Sequence[str]) -> Image.Image:
    """A photograph of a page that lies askew, with a shadow on it."""
    shade = Image.linear_gradient("L").resize(scans.SIZE).point(lambda value: 90 + value * 165 // 255)
    return ImageChops.multiply(scans.page(lines), shade).rotate(8, expand=True, fillcolor=90)


# Where it is installed ---------------------------------------------------------------------------------------


@NEEDS_TESSERACT
def test_a_scan_between_pages_of_text_stands_in_its_place(people: Cast) -> None:
    outline = [("Cells", 1), ("End", 3)]
    data = scans.pdf(["Cells", *PRINTED], scans.page(CELLS), ["The last page."], outline=outline)
    document = personal_document(people.alice, data, "cells.pdf")
    assert (document.status, document.failure_reason) == (Status.READY, "")
    assert found(document) == [(1, PRINTED[0]), (2, " ".join(CELLS)), (3, "The last page.")]
    paths = document.chunks.order_by("position").values_list("heading_path", flat=True)
    assert list(paths) == [["Cells"], ["Cells"], ["End"]]
    version = document.newest
    assert (version.pages, version.recognised_pages, version.notes) == (3, [2], [])


@NEEDS_TESSERACT
def test_a_crooked_photograph_is_straightened(people: Cast) -> None:
    document = personal_document(people.alice, scans.picture(crooked_photo(CELLS)), "cells.png")
    assert scans.alike(found(document)[0][1], CELLS)


@NEEDS_TESSERACT
def test_text_in_pictures_on_a_page_with_text_is_read(people: Cast) -> None:
    document = personal_document(people.alice, page_with_picture(), "water.pdf")
    assert " ".join(text for _, text in found(document)) == " ".join((*PRINTED, *WATER))
    assert (document.newest.recognised_pages, document.newest.notes) == ([1], [])


@NEEDS_TESSERACT
def test_a_document_of_scans_has_the_headings_of_its_outline(people: Cast) -> None:
    data = scans.pdf(scans.page(CELLS), scans.page(WATER), outline=[("Cells", 1), ("Water", 2)])
    document = personal_document(people.alice, data, "scan.pdf")
    assert found(document) == [(1, " ".join(CELLS)), (2, " ".join(WATER))]
    assert document.chunks.get(page=2).heading_path == ["Water"]
    assert document.newest.recognised == "Pages 1, 2"


@NEEDS_TESSERACT
def test_german_is_read_with_its_umlauts(people: Cast) -> None:
    known = tesseract.find_tesseract()
    if known is None or "deu" not in known.languages:
        pytest.skip("Tesseract has no German data on this machine")
    lines = ["Grüße aus München: süße Äpfel, heißes Öl und", "große Übungen für die fleißigen Schüler."]
    document = personal_document(people.alice, scans.picture(scans.page(lines)), "gruesse.png")
    assert found(document) == [(1, " ".join(lines))]


@NEEDS_TESSERACT
@pytest.mark.parametrize("turned", [90, 180])
def test_a_page_that_lies_on_its_side_is_turned(people: Cast, turned: int) -> None:
    known = tesseract.find_tesseract()
    if known is None or not known.detects_orientation:
        pytest.skip("Tesseract has no data to find out which way up a page is")
    page = scans.page((CELLS + WATER) * 4, turned=turned)
    document = personal_document(people.alice, scans.pdf(page), "turned.pdf")
    ((_, text),) = found(document)
    assert scans.alike(text, (CELLS + WATER) * 4)


@NEEDS_TESSERACT
def test_a_page_that_the_file_turns_is_read_as_people_see_it(people: Cast) -> None:
    page = scans.page(CELLS, turned=90)
    document = personal_document(people.alice, scans.pdf(page, rotated=90), "rotated.pdf")
    assert [text for _, text in found(document)] == [" ".join(CELLS)]


@NEEDS_TESSERACT
def test_pages_that_are_blank_or_a_picture_are_told(people: Cast) -> None:
    drawing = scans.page([])
    drawing.paste(Image.effect_mandelbrot((900, 900), (-2, -1.5, 1, 1.5), 90), (150, 300))
    data = scans.pdf(PRINTED, [], drawing, scans.page(CELLS))
    document = personal_document(people.alice, data, "mixed.pdf")
    assert [page for page, _ in found(document)] == [1, 4]
    assert (document.newest.recognised_pages, document.newest.notes) == ([4], ["Pages 2, 3 have no text."])


@NEEDS_TESSERACT
def test_a_document_without_any_text_is_refused_in_words(people: Cast) -> None:
    document = personal_document(people.alice, documents.scan(), "drawings.pdf")
    assert document.status == Status.FAILED
    assert "No text could be recognised in this file" in document.failure_reason


@NEEDS_TESSERACT
def test_a_picture_of_several_pages_has_pages(people: Cast) -> None:
    first, second = scans.page(CELLS, mode="1"), scans.page(WATER, mode="1")
    data = scans.picture(first, "TIFF", save_all=True, append_images=[second], compression="group4", dpi=(150, 150))
    document = personal_document(people.alice, data, "fax.tiff")
    assert found(document) == [(1, " ".join(CELLS)), (2, " ".join(WATER))]
    assert (document.newest.media_type, document.newest.pages) == ("image/tiff", 2)


@NEEDS_TESSERACT
def test_more_pages_than_are_recognised_are_told(people: Cast, settings: Settings) -> None:
    settings.LECTERN_OCR_PAGES = 1
    data = scans.pdf(scans.page(CELLS), *[scans.page(WATER)] * 30)
    document = personal_document(people.alice, data, "long.pdf")
    assert found(document) == [(1, " ".join(CELLS))]
    assert document.newest.notes == [
        "Pages 2–31 have no text that could be searched: at most 1 pages of a document are recognised. "
        "Split the file into parts."
    ]


@NEEDS_TESSERACT
def test_a_page_that_takes_too_long_is_told(people: Cast, settings: Settings) -> None:
    """In the time that is left for it no page of so many words can be read."""
    settings.LECTERN_OCR_SECONDS = 1
    page = scans.page(["word " * 20] * 40)
    document = personal_document(people.alice, scans.pdf(PRINTED, *[page] * 4), "dense.pdf")
    assert [text for _, text in found(document)] == PRINTED
    assert document.newest.notes == [
        "Pages 2, 3 could not be recognised.",
        "Pages 4, 5 have no text that could be searched: it took too long. Split the file into parts.",
    ]


@NEEDS_TESSERACT
def test_only_the_languages_that_are_named_are_used(settings: Settings) -> None:
    known = tesseract.find_tesseract()
    assert known is not None
    assert 0 < len(known.languages) <= tesseract.MAX_LANGUAGES
    assert "osd" not in known.languages
    settings.LECTERN_OCR_LANGUAGES = [known.languages[-1], "xyz"]
    named = tesseract.find_tesseract()
    assert named is not None
    assert named.languages == known.languages[-1:]
    settings.LECTERN_OCR_LANGUAGES = ["xyz"]
    assert tesseract.find_tesseract() is None


def steps(action: Callable[[], Any]) -> list[Sequence[Any]]:
    """The parameters of every UPDATE that an action sends."""
    sent = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("UPDATE") and "stage" in sql:
            sent.append(params)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        action()
    return sent


@NEEDS_TESSERACT
def test_each_page_is_written_down_before_it_is_read(people: Cast) -> None:
    personal_document(people.alice, scans.pdf([], PRINTED, [], []), "scan.pdf", indexed=False)
    rows = [row for row in steps(index_all) if "scans" in row]
    assert [[value for value in row if isinstance(value, int)][:2] for row in rows] == [
        [0, 3],
        [1, 3],
        [2, 3],
    ]


@NEEDS_TESSERACT
def test_one_that_is_deleted_meanwhile_is_not_read_on(people: Cast) -> None:
    document = personal_document(people.alice, scans.pdf(PRINTED, [], [], []), "scan.pdf", indexed=False)
    rows: list[Any] = []

    def delete(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("UPDATE") and "scans" in params:
            rows.append(params)
            PersonalDocument.objects.filter(pk=document.pk).delete()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(delete):
        index_all()
    assert len(rows) == 1


# Where it is not ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("without_tesseract")
def test_without_it_the_rest_of_a_document_is_indexed(people: Cast) -> None:
    data = scans.pdf(scans.page(CELLS), PRINTED, scans.page(WATER), scans.page(WATER))
    document = personal_document(people.alice, data, "cells.pdf")
    assert found(document) == [(2, PRINTED[0])]
    version = document.newest
    assert (version.pages, version.recognised_pages) == (4, [])
    assert version.notes == ["Pages 1, 3, 4 have no text (they may be scans)."]


@pytest.mark.usefixtures("without_tesseract")
def test_without_it_one_page_is_named_alone(people: Cast) -> None:
    document = personal_document(people.alice, scans.pdf(PRINTED, scans.page(CELLS)), "cells.pdf")
    assert document.newest.notes == ["Page 2 has no text (it may be a scan)."]


@pytest.mark.usefixtures("without_tesseract")
@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (scans.pdf(scans.page(CELLS)), "scan.pdf", "it looks like a scan. Run it through text recognition"),
        (
            scans.picture(scans.page(CELLS)),
            "scan.png",
            "only where text recognition (Tesseract) is installed",
        ),
    ],
)
def test_without_it_a_scan_is_refused_in_words(people: Cast, data: bytes, name: str, words: str) -> None:
    document = personal_document(people.alice, data, name)
    assert (document.status, document.attempts) == (Status.FAILED, 1)
    assert words in document.failure_reason


def test_pictures_that_are_not_read_are_named(people: Cast, without_tesseract: None) -> None:
    document = personal_document(people.alice, page_with_picture(), "water.pdf")
    assert document.newest.notes == ["Pictures on page 1 were not read."]
