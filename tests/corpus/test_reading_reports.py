"""What was read of a place, beside its page, and reports that it was read wrongly."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from corpus.ingestion import uploads
from corpus.models import Document
from knowledge.models import PersonalDocument, PersonalReadingReport
from privacy.registry import list_declared
from school_library.models import SchoolReadingReport
from schools.models import User
from tests import documents
from tests.factories import Cast, personal_document, school_document, signed_in
from tests.limits import set_limit

pytestmark = pytest.mark.django_db


@pytest.fixture
def metals(cast: Cast) -> PersonalDocument:
    pages = [["Iron melts at 1538 degrees."], ["Copper melts at 1085 degrees."]]
    return personal_document(cast.alice, documents.pdf(pages), "metals.pdf")


def url(name: str, document: Document, query: str = "") -> str:
    return reverse(f"{document._meta.app_label}:{name}", args=[document.pk]) + query


def test_a_page_stands_beside_what_was_read_of_it(cast: Cast, metals: PersonalDocument) -> None:
    metals.versions.update(notes=["Hidden text was left out."])
    page = signed_in(cast.alice).get(url("page", metals, "?page=2")).content.decode()
    assert url("page-picture", metals, "?page=2") in page
    assert "Copper melts at 1085 degrees." in page
    assert "Iron melts" not in page
    assert "Hidden text was left out." in page
    assert url("report", metals, "?page=2") in page


def test_in_a_dialog_of_a_conversation_there_is_the_picture_alone(cast: Cast, metals: PersonalDocument) -> None:
    page = signed_in(cast.alice).get(url("page", metals, "?page=2"), headers={"HX-Request": "true"}).content.decode()
    assert url("page-picture", metals, "?page=2") in page
    assert url("report", metals) not in page


def test_a_file_without_pages_shows_the_text_of_a_block(cast: Cast) -> None:
    data = documents.workbook({"Trees": [["Tree", "Girth"], ["Oak", 52]], "Birds": [["Bird", "Nest"], ["Owl", "barn"]]})
    trees = personal_document(cast.alice, data, "trees.xlsx")
    alice = signed_in(cast.alice)
    assert url("page", trees, "?block=1") in alice.get(url("detail", trees)).content.decode()
    page = alice.get(url("page", trees, "?block=1")).content.decode()
    assert "Owl" in page
    assert "Oak" not in page
    assert "not found on the page" not in alice.get(url("page", trees, "?block=1&passage=1")).content.decode()
    for there in (alice.get(url("page", trees, "?block=99")), alice.post(url("report", trees, "?block=99"))):
        assert there.status_code == 404
    assert not PersonalReadingReport.objects.exists()
    assert alice.get(url("page-picture", trees)).status_code == 404


def test_a_slide_without_text_is_a_place_as_well(cast: Cast) -> None:
    slides = [("Volcanoes", ["Etna is 3,357 m high."]), ("", []), ("Rivers", ["The Rhine is 1,233 km long."])]
    rocks = personal_document(cast.alice, documents.presentation(*slides), "rocks.pptx")
    alice = signed_in(cast.alice)
    assert "Slide 2</a>" in alice.get(url("page", rocks, "?page=1")).content.decode()
    page = alice.get(url("page", rocks, "?page=2"))
    assert page.status_code == 200
    assert "No text begins on this slide." in page.content.decode()
    alice.post(url("report", rocks, "?page=2"), {"comment": "It has a table."})
    assert PersonalReadingReport.objects.get().place == "Slide 2"


@pytest.mark.parametrize("query", ["?page=3", "?page=999999999"])
def test_a_page_that_is_not_there_is_not_reported(cast: Cast, metals: PersonalDocument, query: str) -> None:
    assert signed_in(cast.alice).post(url("report", metals, query)).status_code == 404
    assert not PersonalReadingReport.objects.exists()


def test_a_report_keeps_what_was_read(cast: Cast, metals: PersonalDocument) -> None:
    alice = signed_in(cast.alice)
    response = alice.post(url("report", metals, "?page=2"), {"comment": "It says 1058.\0"}, follow=True)
    assert "The people who run Lectern here get your report." in response.content.decode()
    report = PersonalReadingReport.objects.get()
    assert (report.school_id, report.document_id, report.version) == (metals.school_id, metals.pk, 1)
    assert (report.place, report.comment) == ("Page 2", "It says 1058.")
    assert report.text.strip() == "Copper melts at 1085 degrees."
    assert report.reported_by == cast.alice.user


def test_a_comment_that_is_too_long_comes_back(cast: Cast, metals: PersonalDocument) -> None:
    long = "It says 1058.\r\n" * 200
    response = signed_in(cast.alice).post(url("report", metals, "?page=2"), {"comment": long})
    assert response.status_code == 400
    page = response.content.decode()
    assert page.count("It says 1058.") == 200
    assert "That is 2,800 characters; 2,000 can be sent." in page
    assert not PersonalReadingReport.objects.exists()


def test_nobody_fills_the_disk_with_reports(
    cast: Cast, metals: PersonalDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, "READING_REPORTS", 1)
    alice = signed_in(cast.alice)
    assert alice.post(url("report", metals, "?page=1"), {"comment": "It says 1058."}).status_code == 302
    refused = alice.post(url("report", metals, "?page=1"), {"comment": "It says 1059."})
    assert refused.status_code == 400
    assert "within an hour" in refused.content.decode() and "It says 1059." in refused.content.decode()
    assert PersonalReadingReport.objects.count() == 1
    assert signed_in(cast.bob).post(url("report", school_document(cast.carol))).status_code == 302


def test_teachers_report_what_they_may_read_and_nothing_else(cast: Cast, metals: PersonalDocument) -> None:
    rules = school_document(cast.carol)
    assert signed_in(cast.bob).post(url("report", rules)).status_code == 302
    report = SchoolReadingReport.objects.get()
    assert report.text
    assert report.reported_by == cast.bob.user
    for stranger in (cast.bob, cast.carol, cast.charlie):
        assert signed_in(stranger).post(url("report", metals, "?page=1")).status_code == 404
    assert signed_in(cast.charlie).post(url("report", rules)).status_code == 404
    assert not PersonalReadingReport.objects.exists()


def test_a_report_goes_with_its_document_and_with_the_person(cast: Cast, metals: PersonalDocument) -> None:
    rules = school_document(cast.carol)
    signed_in(cast.alice).post(url("report", metals, "?page=1"))
    signed_in(cast.bob).post(url("report", rules))
    for model, person in ((PersonalReadingReport, cast.alice), (SchoolReadingReport, cast.bob)):
        (data,) = [one for one in list_declared() if one.model is model]
        assert data.find_rows(person.user, person.school).count() == 1
    uploads.delete(metals)
    assert not PersonalReadingReport.objects.exists()
    cast.bob.user.delete()
    assert not SchoolReadingReport.objects.exists()


def test_the_operator_exports_reports_as_csv(cast: Cast, metals: PersonalDocument) -> None:
    signed_in(cast.alice).post(url("report", metals, "?page=2"), {"comment": "=1+1"})
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    chosen = {"action": "export_csv", "_selected_action": [PersonalReadingReport.objects.get().pk]}
    response = operator.post(reverse("admin:knowledge_personalreadingreport_changelist"), chosen)
    ((*_,), row) = csv.reader(io.StringIO(response.content.decode("utf-8-sig")))
    assert row[:5] == [metals.school.name, metals.title, "1", "Page 2", "'=1+1"]
    assert "Copper melts at 1085 degrees." in row[5]
    assert row[6] == cast.alice.user.name
    teacher = signed_in(cast.alice).post(reverse("admin:knowledge_personalreadingreport_changelist"), chosen)
    assert teacher.status_code == 302
    assert "csv" not in teacher["Content-Type"]
