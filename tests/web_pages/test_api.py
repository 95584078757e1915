"""Web pages as documents for programs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from corpus.models import Status
from knowledge.models import PersonalDocument
from references.models import ReferenceSettings
from school_library.models import SchoolDocument
from tests.factories import Cast, index_all, make_program, personal_document
from tests.references.sites import Site
from tests.references.web import page
from tests.web_pages.test_adding import PAGE

OWN, LIBRARY = "/api/v1/documents", "/api/v1/library/documents"


@pytest.fixture(autouse=True)
def cycle(web: Site) -> None:
    web.pages["/cycle"] = page(PAGE)


@pytest.fixture
def program(cast: Cast) -> Client:
    return make_program(cast.alice)


def add(program: Client, address: str, to: str = OWN) -> Any:
    return program.post(f"{to}/web-pages", {"address": address}, content_type="application/json")


def test_a_page_is_added_once_and_fetched_again(
    program: Client, cast: Cast, web: Site, allowed: ReferenceSettings
) -> None:
    made = add(program, web.url("/cycle"))
    assert made.status_code == 201, made.content
    document = made.json()
    assert made["Location"] == f"{OWN}/{document['id']}"
    assert (document["title"], document["web_address"]) == ("The water cycle", web.url("/cycle"))
    assert document["fetched_at"]
    index_all()
    assert PersonalDocument.objects.get().status == Status.READY
    known = add(program, web.url("/cycle"))
    assert (known.status_code, known.json()["id"]) == (200, document["id"])

    web.pages["/cycle"] = page(PAGE.replace("55 mm", "66 mm"))
    again = program.post(f"{OWN}/{document['id']}/fetch")
    assert (again.status_code, again.json()["version"]) == (200, 2)
    index_all()
    assert program.post(f"{OWN}/{document['id']}/fetch").json()["version"] == 2, "it has not changed"


def test_admins_add_pages_to_the_library_and_teachers_do_not(
    program: Client, cast: Cast, web: Site, allowed: ReferenceSettings
) -> None:
    assert add(program, web.url("/cycle"), LIBRARY).status_code == 403
    made = add(make_program(cast.carol), web.url("/cycle"), LIBRARY)
    assert made.status_code == 201, made.content
    document = SchoolDocument.objects.get()
    assert document.newest.web_address == web.url("/cycle")
    assert program.post(f"{LIBRARY}/{document.pk}/fetch").status_code in (403, 404)


def test_what_is_refused_says_why_and_adds_nothing(
    program: Client, cast: Cast, web: Site, allowed: ReferenceSettings
) -> None:
    for address in ("", "ftp://files.example/", web.url("/nowhere")):
        refused = add(program, address)
        assert refused.status_code in (400, 422), address
        assert refused.json()["errors"]["address"], address
    file = personal_document(cast.alice)
    assert program.post(f"{OWN}/{file.pk}/fetch").status_code == 422
    ReferenceSettings.objects.update(allows_web_pages=False)
    refused = add(program, web.url("/cycle"))
    assert refused.status_code == 422
    assert "not switched on" in refused.json()["detail"]
    assert PersonalDocument.objects.get() == file
