"""What a teacher does with a document of their own, and that nobody else can."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from knowledge.models import PersonalChunk, PersonalDocument
from tests.factories import (
    ACIDS,
    Cast,
    index_all,
    make_chatbot,
    make_file,
    make_program,
    personal_document,
    signed_in,
)

ACTIONS = ["detail", "row", "file", "replace", "rename", "delete"]


def url(action: str, document: PersonalDocument) -> str:
    return reverse(f"knowledge:{action}", args=[document.pk])


def test_the_list_shows_title_file_size_and_version(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, title="Acids of year 9")
    page = alice.get(reverse("knowledge:list")).content.decode()
    for words in ("Acids of year 9", "acids.md", f"{len(ACIDS.encode())}\xa0bytes", "version 1", "Ready"):
        assert words in page
    assert url("detail", document) in page
    assert reverse("chatbots:personal-usage", args=[document.pk]) in page


def test_documents_of_one_title_are_told_apart(alice: Client, cast: Cast) -> None:
    for name in ("one.md", "two.md"):
        personal_document(cast.alice, f"# {name}", name, title="Acids", indexed=False)
    page = alice.get(reverse("knowledge:list")).content.decode()
    for row in alice.get(reverse("knowledge:list")).context["rows"]:
        assert row.newest.filename in page
        assert f"{row.newest.created_at:%H:%M}" in page


def test_the_list_needs_few_queries_however_long_it_is(
    alice: Client, cast: Cast, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    for number in range(12):
        personal_document(cast.alice, f"# Number {number}", f"{number}.md", indexed=False)
    with django_assert_max_num_queries(11):
        assert alice.get(reverse("knowledge:list")).content.decode().count('<li class="row"') == 12


def test_a_long_list_comes_in_pages(alice: Client, cast: Cast) -> None:
    for number in range(51):
        personal_document(cast.alice, f"# Number {number}", f"{number:03}.md", indexed=False)
    assert "Page 1 of 2" in alice.get(reverse("knowledge:list")).content.decode()
    second = alice.get(reverse("knowledge:list"), {"page": 2}).content.decode()
    assert second.count('<li class="row"') == 1
    assert "000.md" in second


def test_the_latest_upload_comes_first(alice: Client, cast: Cast) -> None:
    for name in ("Beta.md", "alpha.md", "Gamma.md"):
        personal_document(cast.alice, f"# {name}", name, indexed=False)
    beta = PersonalDocument.objects.get(title="Beta")
    alice.post(url("replace", beta), {"file": make_file("# Newer", "Beta.md")})
    rows = alice.get(reverse("knowledge:list")).context["rows"]
    assert [row.document.title for row in rows] == ["Beta", "Gamma", "alpha"]


def test_replacing_makes_a_version_and_says_what_changed(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    changed = ACIDS.replace("twenty-five", "thirty")
    response = alice.post(url("replace", document), {"file": make_file(changed, "acids-2.md")}, follow=True)
    assert response.redirect_chain == [(url("detail", document), 302)]
    index_all()
    page = alice.get(url("detail", document)).content.decode()
    assert "1 passage new, 1 kept, 1 removed" in page
    assert "acids-2.md" in page
    assert "Alice" in page


@pytest.mark.parametrize("data", [{}, {"file": ""}])
def test_replacing_needs_a_file(alice: Client, cast: Cast, data: dict[str, str]) -> None:
    document = personal_document(cast.alice, indexed=False)
    assert "Choose a file first." in alice.post(url("replace", document), data).content.decode()


def test_an_empty_file_replaces_nothing(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    response = alice.post(url("replace", document), {"file": make_file(b"", "empty.md")})
    assert "“empty.md” is empty." in response.content.decode()
    document.refresh_from_db()
    assert document.version == 1


def test_renaming(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, indexed=False)
    assert alice.post(url("rename", document), {"title": "  Acids  "}).status_code == 302
    document.refresh_from_db()
    assert document.title == "Acids"


@pytest.mark.parametrize("title", ["", "   ", "x" * 201])
def test_a_title_that_is_none_is_not_taken(alice: Client, cast: Cast, title: str) -> None:
    document = personal_document(cast.alice, indexed=False)
    response = alice.post(url("rename", document), {"title": title})
    assert response.status_code == 422
    assert "errorlist" in response.content.decode()
    document.refresh_from_db()
    assert document.title == "acids"


def test_deleting_asks_first_and_names_the_chatbots(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    make_chatbot(cast.alice, personal=[document], name="Chemistry 9 helper")
    page = alice.get(url("delete", document)).content.decode()
    usage = reverse("chatbots:personal-usage", args=[document.pk])
    assert f'hx-get="{usage}"' in page
    assert "Chemistry 9 helper" in alice.get(usage).content.decode()
    assert PersonalDocument.objects.filter(pk=document.pk).exists()


def test_deleting_takes_versions_passages_and_files(
    alice: Client, cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    document = personal_document(cast.alice)
    stored = document.newest.file.name
    assert default_storage.exists(stored)
    with django_capture_on_commit_callbacks(execute=True):
        response = alice.post(url("delete", document))
    assert response.headers["Location"] == reverse("knowledge:list")
    assert not PersonalDocument.objects.filter(pk=document.pk).exists()
    assert not PersonalChunk.objects.exists()
    assert not default_storage.exists(stored)


def test_the_original_is_downloaded_and_never_shown(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, "<script>alert(1)</script> and text", "Überblick.html.txt")
    response = alice.get(url("file", document))
    assert response.getvalue() == b"<script>alert(1)</script> and text"
    assert response.headers["Content-Disposition"].startswith("attachment;")
    assert "%C3%9Cberblick.html.txt" in response.headers["Content-Disposition"]
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response.headers["Content-Security-Policy"]
    assert "no-store" in response.headers["Cache-Control"]


def test_an_original_that_this_server_cannot_reach_is_not_called_lost(cast: Cast, settings: Settings) -> None:
    document = personal_document(cast.alice)
    folder, settings.MEDIA_ROOT = settings.MEDIA_ROOT, settings.MEDIA_ROOT / "of another host"
    page = Client(raise_request_exception=False)
    page.force_login(cast.alice.user)
    response = page.get(url("file", document))
    assert response.status_code == 503 and response["Retry-After"]
    assert "This server cannot reach the file just now" in response.content.decode()
    problem = make_program(cast.alice).get(f"/api/v1/documents/{document.pk}/file")
    assert problem.status_code == 503 and "cannot reach the file" in problem.json()["detail"]
    for member in (cast.bob, cast.charlie):
        assert signed_in(member).get(url("file", document)).status_code == 404
    assert page.get(url("file", document) + "?version=2").status_code == 404
    settings.MEDIA_ROOT = folder
    assert page.get(url("file", document)).getvalue() == ACIDS.encode()


def test_every_version_can_be_downloaded(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    alice.post(url("replace", document), {"file": make_file("# New", "new.md")})
    contents = {
        query: alice.get(url("file", document) + query).getvalue()
        for query in ("", "?version=1", "?version=2", "?version=")
    }
    assert contents == {
        "": b"# New",
        "?version=1": ACIDS.encode(),
        "?version=2": b"# New",
        "?version=": b"# New",
    }


@pytest.mark.parametrize("version", ["3", "99999999999999999999"])
def test_a_version_that_is_not_there(alice: Client, cast: Cast, version: str) -> None:
    document = personal_document(cast.alice, indexed=False)
    expected = 404 if version == "3" else 200  # what cannot be a number is passed over
    assert alice.get(url("file", document), {"version": version}).status_code == expected


@pytest.mark.parametrize("action", ACTIONS)
def test_strangers_find_nothing(cast: Cast, action: str) -> None:
    document = personal_document(cast.alice, indexed=False)
    assert signed_in(cast.alice).get(url(action, document)).status_code == 200
    for stranger in (cast.bob, cast.carol, cast.charlie, cast.chloe):
        assert signed_in(stranger).get(url(action, document)).status_code == 404
    anonymous = Client().get(url(action, document))
    assert anonymous.headers["Location"].startswith(reverse("account_login"))


@pytest.mark.parametrize("action", ["replace", "rename", "retry", "cancel", "copy", "merge", "delete"])
def test_strangers_change_nothing(cast: Cast, action: str) -> None:
    document = personal_document(cast.alice, indexed=False)
    data = {"title": "Mine", "file": make_file("# Theirs", "theirs.md")}
    for stranger in (cast.bob, cast.carol, cast.charlie, cast.chloe):
        assert signed_in(stranger).post(url(action, document), data).status_code == 404
    document.refresh_from_db()
    assert (document.title, document.version) == ("acids", 1)
