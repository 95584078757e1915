"""Taking back what is still being read: a first version goes with its document, an update leaves the old one (D5)."""

from django.test import Client
from django.urls import reverse

from corpus.models import Status
from knowledge.models import PersonalDocument
from tests.factories import ACIDS, Cast, index_all, make_file, personal_document


def address(page: str, document: PersonalDocument) -> str:
    return reverse(f"knowledge:{page}", args=[document.pk])


def updating(alice: Client, cast: Cast) -> PersonalDocument:
    document = personal_document(cast.alice)
    alice.post(address("replace", document), {"file": make_file(ACIDS.replace("0.5", "0.1"), "newer.md")})
    document.refresh_from_db()
    return document


def told(alice: Client, url: str, data: dict[str, str] | None = None) -> str:
    response = alice.post(url, data or {}, follow=True)
    return " ".join(str(message) for message in response.context["messages"])


def test_a_first_version_asks_before_its_document_is_deleted(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    row = alice.get(address("row", document)).content.decode()
    assert f'href="{address("delete", document)}"' in row
    assert address("cancel", document) not in row
    response = alice.post(address("cancel", document))
    assert response.headers["Location"] == address("delete", document)
    assert PersonalDocument.objects.exists()
    page = alice.get(address("delete", document)).content.decode()
    assert "Stop reading “acids” and delete it?" in page
    alice.post(address("delete", document))
    assert not PersonalDocument.objects.exists()


def test_an_update_is_cancelled_with_one_button(alice: Client, cast: Cast) -> None:
    document = updating(alice, cast)
    assert f'action="{address("cancel", document)}"' in alice.get(address("row", document)).content.decode()
    words = told(alice, address("cancel", document))
    assert words.endswith("The update of “acids” was cancelled. Version 1 keeps answering.")
    document.refresh_from_db()
    assert (document.status, document.version) == (Status.READY, 1)
    index_all()
    page = alice.get(address("detail", document)).content.decode()
    assert "0.5 mol/l" in page
    assert "cancelled before it answered" in page
    assert "newer.md" in page
    assert f"{address('file', document)}?version=2" not in page
    assert alice.get(f"{address('file', document)}?version=2").status_code == 404
    assert "acids.md" in alice.get(address("row", document)).content.decode()


def test_cancelling_too_late_says_so_and_takes_nothing_back(alice: Client, cast: Cast) -> None:
    document = updating(alice, cast)
    index_all()
    assert address("cancel", document) not in alice.get(address("row", document)).content.decode()
    assert "Nothing was cancelled" in told(alice, address("cancel", document))
    document.refresh_from_db()
    assert (document.version, document.answering_version) == (2, 2)


def test_indexing_the_same_version_anew_cannot_be_cancelled(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    PersonalDocument.objects.update(status=Status.QUEUED)
    assert address("cancel", document) not in alice.get(address("row", document)).content.decode()
    assert "Nothing was cancelled" in told(alice, address("cancel", document))
    document.refresh_from_db()
    assert document.status == Status.QUEUED


def test_on_its_own_page_one_stays_there(alice: Client, cast: Cast) -> None:
    document = updating(alice, cast)
    response = alice.post(address("cancel", document), {"detail": ""})
    assert response.headers["Location"] == address("detail", document)


def test_cancelling_is_for_forms_only(alice: Client, cast: Cast) -> None:
    assert alice.get(address("cancel", updating(alice, cast))).status_code == 405
