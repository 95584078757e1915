"""A teacher's own documents and the school's library by the API: the same services as on the pages."""

import hashlib
import json
from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from pytest_django import Settings

from corpus.ingestion import storage
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from tests.factories import ACIDS, SAFETY, Cast, index_all, make_program, personal_document, school_document

pytestmark = pytest.mark.django_db
OWN, LIBRARY = "/api/v1/documents", "/api/v1/library/documents"


def file(text: str | bytes = ACIDS, name: str = "acids.md") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def put(client: Client, url: str, text: str, name: str = "acids.md", **more: Any) -> Any:
    body = encode_multipart(BOUNDARY, {"file": file(text, name)})
    return client.put(url, body, MULTIPART_CONTENT, **more)


def patch(client: Client, url: str, change: dict[str, Any], **more: Any) -> Any:
    return client.patch(url, json.dumps(change), "application/json", **more)


def list_titles(client: Client, url: str, query: str) -> list[str]:
    return [document["title"] for document in client.get(f"{url}{query}").json()["results"]]


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice)


@pytest.fixture
def carol(people: Cast) -> Client:
    return make_program(people.carol)


def test_a_file_becomes_a_document_that_is_indexed(alice: Client) -> None:
    made = alice.post(OWN, {"file": file(), "title": "Acids of year 9"})
    assert made.status_code == 201
    document = made.json()
    assert made["Location"] == f"{OWN}/{document['id']}"
    assert document == {
        "id": document["id"],
        "title": "Acids of year 9",
        "subject": "",
        "status": "queued",
        "progress": {"stage": None, "done": 0, "total": 0},
        "failure_reason": "",
        "version": 1,
        "answering_version": None,
        "chunk_count": 0,
        "filename": "acids.md",
        "size": len(ACIDS.encode()),
        "content_hash": hashlib.sha256(ACIDS.encode()).hexdigest(),
        "notes": [],
        "web_address": "",
        "fetched_at": None,
        "created_at": document["created_at"],
        "updated_at": document["updated_at"],
    }
    index_all()
    ready = alice.get(made["Location"]).json()
    assert (ready["status"], ready["answering_version"], ready["chunk_count"]) == ("ready", 1, 2)


def test_a_file_that_is_there_is_that_document(alice: Client) -> None:
    first = alice.post(OWN, {"file": file()})
    again = alice.post(OWN, {"file": file(name="other.md"), "title": "Another"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"]
    assert again["Location"] == first["Location"]
    assert PersonalDocument.objects.get().title == "acids"


def test_an_upload_sent_twice_under_one_key_is_one(alice: Client) -> None:
    key = {"Idempotency-Key": "upload-1"}
    first, again = (alice.post(OWN, {"file": file()}, headers=key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert alice.post(OWN, {"file": file(SAFETY)}, headers=key).status_code == 422


@pytest.mark.parametrize(
    ("sent", "status", "field", "words"),
    [
        ({}, 400, "file", "No file was submitted"),
        ({"file": "text"}, 400, "file", "not a file"),
        ({"file": file(b"", "a.md")}, 422, "file", "“a.md” is empty."),
        ({"file": file(), "title": "x" * 201}, 400, "title", "200"),
        ({"file": file(), "title": "a\0b"}, 400, "title", "Null"),
    ],
)
def test_what_cannot_be_taken_is_said(alice: Client, sent: Any, status: int, field: str, words: str) -> None:
    refused = alice.post(OWN, sent)
    assert refused.status_code == status
    assert words in refused.json()["errors"][field][0]
    assert not PersonalDocument.objects.exists()


def test_a_file_that_is_too_large(alice: Client, settings: Settings) -> None:
    settings.LECTERN_MAX_UPLOAD_MB = 1
    little_more = alice.post(OWN, {"file": file(b"x" * (1024 * 1024 + 1))})
    assert (little_more.status_code, "at most 1 MB" in little_more.json()["detail"]) == (413, True)
    assert alice.post(OWN, {"file": file(b"x" * 3_000_000)}).status_code == 413


def test_a_server_without_room_may_have_some_later(alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FREE_SPACE_MARGIN", 2**62)
    full = alice.post(OWN, {"file": file()})
    assert (full.status_code, "not enough room" in full.json()["detail"]) == (503, True)


def test_what_cannot_be_read_fails_in_words(alice: Client) -> None:
    made = alice.post(OWN, {"file": file(b"%PDF-1.7 nothing", "broken.pdf")}).json()
    index_all()
    failed = alice.get(f"{OWN}/{made['id']}").json()
    assert failed["status"] == "failed"
    assert "PDF" in failed["failure_reason"]


def test_the_list_is_ones_own_narrowed_and_in_pages(people: Cast, alice: Client) -> None:
    personal_document(people.bob, "# Bob\n\nBob's.\n", "bob.md")
    for number in range(3):
        personal_document(people.alice, f"# Plan {number}\n\nText.\n", f"Plan of week {number}.md", indexed=number < 2)
    titles = partial(list_titles, alice, OWN)
    assert titles("") == ["Plan of week 2", "Plan of week 1", "Plan of week 0"]
    assert titles("?status=ready") == ["Plan of week 1", "Plan of week 0"]
    assert titles("?search=WEEK+1") == ["Plan of week 1"]
    assert titles("?search=") == titles("")
    first = alice.get(f"{OWN}?limit=2").json()
    assert [d["title"] for d in alice.get(first["next"]).json()["results"]] == ["Plan of week 0"]
    assert alice.get(f"{OWN}?status=done").json()["errors"]["status"]
    assert alice.get(f"{OWN}?search=%00").status_code == 400


def test_a_reader_is_spared_what_has_not_changed(people: Cast, alice: Client) -> None:
    document = personal_document(people.alice)
    for url in (OWN, f"{OWN}/{document.pk}"):
        etag = alice.get(url)["ETag"]
        assert alice.get(url, headers={"If-None-Match": etag}).status_code == 304
    patch(alice, url, {"title": "New"})
    assert alice.get(url, headers={"If-None-Match": etag}).json()["title"] == "New"


def test_a_document_is_renamed_replaced_and_deleted(people: Cast, alice: Client) -> None:
    document = personal_document(people.alice)
    url = f"{OWN}/{document.pk}"
    assert patch(alice, url, {"title": " Acids "}).json()["title"] == "Acids"
    assert patch(alice, url, {}).json()["title"] == "Acids"
    assert patch(alice, url, {"title": " "}).json()["errors"]["title"]
    replaced = put(alice, f"{url}/file", "# New\n\nNew text.\n")
    assert (replaced.status_code, replaced.json()["version"], replaced.json()["answering_version"]) == (
        200,
        2,
        1,
    )
    index_all()
    assert alice.get(f"{url}/chunks").json()["results"][0]["text"] == "New text."
    same = put(alice, f"{url}/file", "# New\n\nNew text.\n")
    assert (same.status_code, same.json()["version"], same.json()["status"]) == (200, 2, "ready")
    assert put(alice, f"{url}/file", "").status_code == 422
    gone = alice.delete(url)
    assert (gone.status_code, gone.content) == (204, b"")
    assert alice.get(url).status_code == alice.delete(url).status_code == 404


def test_whoever_says_what_they_know_does_not_write_over_newer_things(people: Cast, alice: Client) -> None:
    document = personal_document(people.alice)
    url = f"{OWN}/{document.pk}"
    old = {"If-Match": alice.get(url)["ETag"]}
    now = {"If-Match": patch(alice, url, {"title": "New"}, headers=old)["ETag"]}
    for refused in (
        patch(alice, url, {"title": "Newer"}, headers=old),
        put(alice, f"{url}/file", "# Other\n\nText.\n", headers=old),
        alice.delete(url, headers=old),
    ):
        assert refused.status_code == 412
    document.refresh_from_db()
    assert (document.title, document.version) == ("New", 1)
    assert alice.delete(url, headers=now).status_code == 204


def test_its_chunks_say_where_they_stand(people: Cast, alice: Client) -> None:
    document = personal_document(people.alice)
    url = f"{OWN}/{document.pk}/chunks"
    first = alice.get(f"{url}?limit=1").json()
    assert first["results"] == [
        {
            "position": 0,
            "heading_path": ["Year 9 acids", "Practical"],
            "label": "",
            "file_path": "",
            "page": None,
            "line_range": [5, 5],
            "text": "Use hydrochloric acid of 0.5 mol/l for year 9. Acid goes into water, never water into acid.",
            "tokens": first["results"][0]["tokens"],
        }
    ]
    assert [c["position"] for c in alice.get(first["next"]).json()["results"]] == [1]
    waiting = personal_document(people.alice, SAFETY, indexed=False)
    assert alice.get(f"{OWN}/{waiting.pk}/chunks").json() == {"results": [], "next": None}


def test_the_file_can_be_had_again(people: Cast, alice: Client) -> None:
    document = personal_document(people.alice)
    answer: Any = alice.get(f"{OWN}/{document.pk}/file")
    assert answer.getvalue() == ACIDS.encode()
    assert "attachment" in answer["Content-Disposition"]


def test_admins_keep_the_library_with_its_tags(carol: Client) -> None:
    tags = {"subject": "Chemistry", "grade": "Years 7 to 9", "description": "For the lab."}
    made = carol.post(LIBRARY, {"file": file(SAFETY, "safety.md"), **tags})
    assert made.status_code == 201
    assert made.json() | tags | {"published": True, "title": "safety"} == made.json()
    url = made["Location"]
    changed = patch(carol, url, {"published": False, "title": "Lab safety", "subject": ""})
    assert changed.json()["published"] is False
    assert changed.json() | {"title": "Lab safety", "subject": "", "grade": "Years 7 to 9"} == changed.json()
    assert put(carol, f"{url}/file", ACIDS).json()["version"] == 2
    assert carol.delete(url).status_code == 204


def test_the_library_is_found_by_what_stands_on_it_and_in_it(people: Cast, alice: Client) -> None:
    school_document(people.carol, subject="Chemistry", grade="Years 7 to 9")
    school_document(people.carol, "# Trips\n\nTwo adults go along.\n", "trips.md", subject="Trips")
    titles = partial(list_titles, alice, LIBRARY)
    assert titles("") == ["trips", "safety"]
    assert titles("?subject=Chemistry&grade=Year+8") == titles("?search=goggles") == ["safety"]
    assert titles("?grade=Year+10&status=ready") == []


def test_teachers_read_what_is_published_and_change_nothing(people: Cast, alice: Client) -> None:
    safety = school_document(people.carol)
    withdrawn = school_document(people.carol, ACIDS)
    SchoolDocument.objects.filter(pk=withdrawn.pk).update(is_published=False)
    waiting = school_document(people.carol, "# Wait\n\nWait.\n", indexed=False)
    listed = {d["id"] for d in alice.get(LIBRARY).json()["results"]}
    assert listed == {str(safety.pk)}
    url = f"{LIBRARY}/{safety.pk}"
    for address in (url, f"{url}/chunks", f"{url}/file", f"{LIBRARY}/{waiting.pk}"):
        assert alice.get(address).status_code == 200
    for refused in (
        alice.post(LIBRARY, {"file": file()}),
        patch(alice, url, {"title": "Mine"}),
        put(alice, f"{url}/file", ACIDS),
        alice.delete(url),
    ):
        assert refused.status_code == 403
        assert "Only admins" in refused.json()["detail"]
    for response in (alice.get(f"{LIBRARY}/{withdrawn.pk}"), alice.delete(f"{LIBRARY}/{withdrawn.pk}")):
        assert response.status_code == 404
    assert SchoolDocument.objects.count() == 3


def test_teachers_get_the_file_that_answers(people: Cast, alice: Client, carol: Client) -> None:
    document = school_document(people.carol)
    put(carol, f"{LIBRARY}/{document.pk}/file", "# New\n\nText.\n")
    files: list[Any] = [client.get(f"{LIBRARY}/{document.pk}/file") for client in (alice, carol)]
    assert [answer.getvalue()[:7] for answer in files] == [b"# Labor", b"# New\n\n"]
