"""Admins keep the library: upload, describe, replace, publish, withdraw, delete (L1, L3)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus.ingestion import uploads
from corpus.models import Status
from corpus.sources import Query
from engines.embedding import get_embedder
from school_library.models import SchoolChunk, SchoolDocument
from school_library.sources import SchoolSource
from schools.models import Membership
from tests.factories import SAFETY, Cast, index_all, make_file, school_document

UPLOAD = reverse("school_library:upload")
ClientOf = Callable[[Membership], Client]


@pytest.fixture
def carol(cast: Cast, sign_in: ClientOf) -> Client:
    return sign_in(cast.carol)


def url(action: str, document: SchoolDocument) -> str:
    return reverse(f"school_library:{action}", args=[document.pk])


def answers(cast: Cast, question: str) -> list[str]:
    """What a search of the whole library finds."""
    source = SchoolSource(cast.carol.school, SchoolDocument.objects.all())
    query = Query.of(question, get_embedder())
    return [passage.excerpt for passage in source.search(query, 5)]


def test_files_are_uploaded_with_what_is_true_of_all(carol: Client, cast: Cast) -> None:
    files = [SimpleUploadedFile(f"{n}.md", f"# Number {n}".encode()) for n in (1, 2)]
    tags = {"subject": "Science", "grade": "Year 9", "description": "For the laboratory"}
    response = carol.post(UPLOAD, {"files": [*files, SimpleUploadedFile("no.txt", b"")], **tags}, follow=True)
    told = [str(message) for message in response.context["messages"]]
    assert "Not taken: “no.txt” is empty." in told
    documents = SchoolDocument.objects.for_school(cast.carol.school)
    assert [document.title for document in documents] == ["1", "2"]
    for document in documents:
        assert (document.subject, document.grade, document.description) == tuple(tags.values())
        assert (document.status, document.is_published) == (Status.QUEUED, True)


def test_an_upload_without_a_file_keeps_what_was_typed(carol: Client) -> None:
    response = carol.post(UPLOAD, {"subject": "Botany"})
    assert response.status_code == 422
    assert "Choose at least one file first." in response.content.decode()
    assert 'value="Botany"' in response.content.decode()


def test_an_upload_of_an_empty_file_alone_keeps_what_was_typed(carol: Client) -> None:
    response = carol.post(UPLOAD, {"files": SimpleUploadedFile("no.txt", b""), "subject": "Botany"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "Not taken: “no.txt” is empty." in page
    assert 'value="Botany"' in page
    assert not SchoolDocument.objects.exists()


def test_teachers_can_tell_documents_of_one_title_apart(cast: Cast, sign_in: ClientOf) -> None:
    for name in ("safety.md", "safety.txt", "fire.md"):
        school_document(cast.carol, f"# About {name}\n\nText.", name)
    page = sign_in(cast.alice).get(reverse("school_library:list")).content.decode()
    assert "<li>safety.md</li>" in page
    assert "<li>safety.txt</li>" in page
    assert "<li>fire.md</li>" not in page


def test_the_same_file_is_recognised_in_ones_own_library_only(carol: Client, cast: Cast) -> None:
    school_document(cast.chloe)
    first = carol.post(UPLOAD, {"files": make_file(SAFETY, "safety.md")}, follow=True)
    again = carol.post(UPLOAD, {"files": make_file(SAFETY, "copy.md")}, follow=True)
    assert "is uploaded" in str(next(iter(first.context["messages"])))
    assert "is the same file as" in str(next(iter(again.context["messages"])))
    assert SchoolDocument.objects.for_school(cast.carol.school).count() == 1


def test_title_and_tags_can_be_changed(carol: Client, cast: Cast) -> None:
    document = school_document(cast.carol)
    data = {"title": "Safety", "description": "Read it", "subject": " Science ", "grade": "all"}
    assert carol.post(url("edit", document), data).status_code == 302
    document.refresh_from_db()
    assert (document.title, document.description, document.subject, document.grade) == (
        "Safety",
        "Read it",
        "Science",
        "all",
    )
    assert document.status == Status.READY


def test_a_document_needs_a_title(carol: Client, cast: Cast) -> None:
    document = school_document(cast.carol, indexed=False)
    assert carol.post(url("edit", document), {"title": " "}).status_code == 422
    document.refresh_from_db()
    assert document.title == "safety"


def test_describing_a_document_that_was_read_meanwhile_disturbs_nothing(cast: Cast) -> None:
    """Saving the whole row would put back the status it was loaded with."""
    document = school_document(cast.carol, indexed=False)
    index_all()
    assert document.status == Status.QUEUED
    uploads.describe(document, title="Safety", description="", subject="", grade="")
    document.refresh_from_db()
    assert (document.title, document.status, document.answering_version) == ("Safety", Status.READY, 1)


@pytest.mark.django_db(transaction=True)
def test_replacing_answers_with_the_old_text_until_the_new_is_read(carol: Client, cast: Cast) -> None:
    document = school_document(cast.carol)
    new = SAFETY.replace("at most 1 mol/l", "at most 0.2 mol/l")
    response = carol.post(url("replace", document), {"file": make_file(new, "safety-2.md")})
    assert response.headers["Location"] == url("detail", document)
    assert any("1 mol/l" in text for text in answers(cast, "How strong may acids be?"))
    assert (
        "Version 1 keeps answering until version 2 has been read." in carol.get(url("row", document)).content.decode()
    )
    index_all()
    found = answers(cast, "How strong may acids be?")
    assert any("0.2 mol/l" in text for text in found)
    assert not any("at most 1 mol/l" in text for text in found)


@pytest.mark.django_db(transaction=True)
def test_withdrawing_explains_itself_and_takes_effect_at_once(carol: Client, cast: Cast) -> None:
    document = school_document(cast.carol)
    assert answers(cast, "When are goggles worn?")
    question = carol.get(url("withdraw", document)).content.decode()
    assert "From the next question on no chatbot answers from it" in question
    assert answers(cast, "When are goggles worn?")

    assert carol.post(url("withdraw", document)).headers["Location"] == url("detail", document)
    assert answers(cast, "When are goggles worn?") == []
    assert "only admins see it" in carol.get(url("detail", document)).content.decode()

    carol.post(url("publish", document))
    assert answers(cast, "When are goggles worn?")


def test_deleting_asks_first_and_leaves_nothing(
    carol: Client, cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    document = school_document(cast.carol)
    stored = document.newest.file.name
    question = carol.get(url("delete", document)).content.decode()
    assert "withdraw it instead" in question
    assert reverse("chatbots:document-usage", args=[document.pk]) in question
    with django_capture_on_commit_callbacks(execute=True):
        carol.post(url("delete", document))
    assert not SchoolDocument.objects.exists()
    assert not SchoolChunk.objects.exists()
    assert not default_storage.exists(stored)


def test_a_failure_can_be_tried_again(carol: Client, cast: Cast) -> None:
    document = school_document(cast.carol, b"%PDF-1.7" + bytes(range(256)), "noise.pdf")
    assert "Could not be read" in carol.get(url("row", document)).content.decode()
    carol.post(url("retry", document))
    document.refresh_from_db()
    assert document.status == Status.QUEUED


def test_admins_see_versions_and_teachers_do_not(carol: Client, cast: Cast, sign_in: ClientOf) -> None:
    document = school_document(cast.carol)
    carol.post(url("replace", document), {"file": make_file("# New\n\nNew text.", "new.md")})
    assert "Version 2" in carol.get(url("detail", document)).content.decode()
    assert "Version 2" not in sign_in(cast.bob).get(url("detail", document)).content.decode()
