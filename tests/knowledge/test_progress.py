"""Where indexing stands, in words, without a reload (D4, D6)."""

from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from corpus.models import Stage, Status
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from tests.factories import ACIDS, Cast, break_file, index_all, make_file, personal_document, school_document

NOISE = b"%PDF-1.7" + bytes(range(256)) * 8


def row(client: Client, document: PersonalDocument, query: str = "") -> str:
    return client.get(reverse("knowledge:row", args=[document.pk]) + query).content.decode()


def replace(client: Client, document: PersonalDocument, content: str | bytes) -> None:
    client.post(reverse("knowledge:replace", args=[document.pk]), {"file": make_file(content, "new.md")})


def test_a_waiting_row_asks_again_every_second(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    page = row(alice, document)
    assert 'hx-trigger="every 1s"' in page
    assert reverse("knowledge:row", args=[document.pk]) in page
    assert "Waiting to be read" in page


def test_a_row_shows_how_many_passages_are_done(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    PersonalDocument.objects.filter(pk=document.pk).update(
        status=Status.INDEXING, stage=Stage.EMBEDDING, progress_done=32, progress_total=120
    )
    page = row(alice, document)
    assert "Indexing the passages: 32 of 120" in page
    assert 'max="120" value="32"' in page


def test_a_row_tells_how_long_the_rest_takes(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    rows, since = PersonalDocument.objects.filter(pk=document.pk), timezone.now() - timedelta(seconds=90)
    rows.update(status=Status.INDEXING, progress_done=30, progress_total=90, progress_since=since)
    rows.update(stage=Stage.EMBEDDING)
    assert "Indexing the passages: 30 of 90, about 3 minutes left" in row(alice, document)
    rows.update(stage=Stage.RECOGNISING)
    assert "Recognising text: page 31 of 90, about 3 minutes left" in row(alice, document)
    rows.update(stage=Stage.READING)
    assert " left" not in row(alice, document), "a new attempt has no pace yet"


def test_a_finished_row_is_left_alone(alice: Client, cast: Cast) -> None:
    page = row(alice, personal_document(cast.alice))
    assert "Ready" in page
    assert "every 1s" not in page


def test_the_documents_own_page_loads_again_when_the_text_is_there(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    url = reverse("knowledge:row", args=[document.pk]) + "?from=detail"
    waiting = alice.get(url)
    assert "HX-Refresh" not in waiting
    assert "?from=detail" in waiting.content.decode(), "it goes on asking as the page of its own"
    index_all()
    assert alice.get(url)["HX-Refresh"] == "true"


def test_for_a_file_that_cannot_be_read_another_one_is_asked_for(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, NOISE, "noise.pdf")
    assert document.status == Status.FAILED
    page = row(alice, document)
    assert "Could not be read" in page
    assert document.failure_reason in page
    assert f'href="{reverse("knowledge:replace", args=[document.pk])}"' in page
    assert "Try again" not in page


def test_a_fault_of_ours_can_be_tried_again(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    break_file(document)
    index_all()
    document.refresh_from_db()
    assert document.status == Status.FAILED
    page = row(alice, document)
    assert "Try again" in page
    assert reverse("knowledge:retry", args=[document.pk]) in page

    response = alice.post(reverse("knowledge:retry", args=[document.pk]))
    assert response.headers["Location"] == reverse("knowledge:list")
    document.refresh_from_db()
    assert (document.status, document.failure_reason) == (Status.QUEUED, "")


def test_trying_again_on_its_own_page_stays_there(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, NOISE, "noise.pdf")
    response = alice.post(reverse("knowledge:retry", args=[document.pk]), {"detail": ""})
    assert response.headers["Location"] == reverse("knowledge:detail", args=[document.pk])


def test_the_old_version_answers_while_the_new_one_is_read(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    replace(alice, document, ACIDS.replace("0.5", "0.1"))
    assert "Version 1 keeps answering until version 2 has been read." in row(alice, document)
    detail = alice.get(reverse("knowledge:detail", args=[document.pk])).content.decode()
    assert "This is the text of version 1" in detail
    assert "0.5 mol/l" in detail
    index_all()
    detail = alice.get(reverse("knowledge:detail", args=[document.pk])).content.decode()
    assert "0.1 mol/l" in detail
    assert "0.5 mol/l" not in detail


def test_after_a_failed_update_the_old_version_keeps_answering(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    replace(alice, document, NOISE)
    index_all()
    page = row(alice, document)
    assert "Version 2 could not be read" in page
    assert "Version 1 keeps answering." in page
    assert "0.5 mol/l" in alice.get(reverse("knowledge:detail", args=[document.pk])).content.decode()


def test_what_was_odd_about_a_file_is_noted(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    document.versions.update(notes=["Pages 2 and 5 have no text; they look scanned."])
    assert "Pages 2 and 5 have no text" in row(alice, document)


def test_what_the_worker_cannot_reach_is_said_in_words(alice: Client, cast: Cast, settings: Settings) -> None:
    settings.LECTERN_RETRY_SECONDS = 600
    document = personal_document(cast.alice, indexed=False)
    document.newest.file.storage.delete(document.newest.file.name)
    index_all()
    assert "The server that reads documents cannot reach this file; it is tried again automatically" in row(
        alice, PersonalDocument.objects.get()
    )


def test_after_a_fault_of_ours_the_page_says_when_it_is_tried_again(
    alice: Client, cast: Cast, settings: Settings
) -> None:
    settings.LECTERN_RETRY_SECONDS = 600
    document = personal_document(cast.alice, indexed=False)
    break_file(document)
    index_all()
    document.refresh_from_db()
    assert (document.status, document.attempts) == (Status.QUEUED, 1)
    again = timezone.localtime(document.updated_at + timedelta(seconds=600))
    page = row(alice, document)
    assert f"is tried again automatically at {again:%H:%M}" in page
    assert "Waiting to be read" not in page
    still_for(9, document)
    assert "Nothing has moved" not in row(alice, document)
    still_for(11, document)
    assert "Waiting to be read" in row(alice, document)
    still_for(14, document, attempted_at=document.created_at - timedelta(minutes=9))
    assert "Nothing has moved for 4 minutes" in row(alice, document)


def still_for(minutes: int, document: PersonalDocument, **changes: object) -> None:
    long_ago = timezone.now() - timedelta(minutes=minutes)
    PersonalDocument.objects.filter(pk=document.pk).update(updated_at=long_ago, **changes)


def test_an_indexing_that_does_not_move_says_so_instead_of_a_bar(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    still_for(2, document, status=Status.INDEXING)
    assert "<progress" in row(alice, document)
    still_for(4, document)
    page = row(alice, document)
    assert "Nothing has moved for 4 minutes. It is tried again automatically" in page
    assert "<progress" not in page
    assert 'hx-trigger="every 1s"' in page


def test_a_file_that_waits_while_nothing_runs_says_so(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    still_for(2, document)
    assert "Nothing has moved" not in row(alice, document)
    still_for(5, document)
    assert "Nothing has moved for 5 minutes: it seems that nothing is running" in row(alice, document)
    index_all()
    assert "Nothing has moved" not in row(alice, document)


def test_a_file_that_waits_for_its_turn_is_well(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    still_for(5, document)
    library = school_document(cast.carol, indexed=False)
    SchoolDocument.objects.filter(pk=library.pk).update(attempted_at=timezone.now())
    assert "Nothing has moved" not in row(alice, document)
    SchoolDocument.objects.update(attempted_at=timezone.now() - timedelta(minutes=9))
    assert "Nothing has moved for 5 minutes" in row(alice, document)
    SchoolDocument.objects.update(status=Status.INDEXING)  # a long one, which goes on
    assert "Nothing has moved" not in row(alice, document)
