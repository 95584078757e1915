"""A page that is a document is fetched again."""

from __future__ import annotations

import html as escaping
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from knowledge.models import PersonalDocument, PersonalVersion
from references.models import ReferenceSettings
from school_library.models import SchoolDocument
from tests.factories import Cast, index_all, personal_document, signed_in
from tests.references.sites import DEPOSIT, NOTICE, Site


def again(client: Client, document: Any) -> str:
    name = "again" if isinstance(document, PersonalDocument) else "library-again"
    response = client.post(reverse(f"web_pages:{name}", args=[document.pk]), follow=True)
    assert response.status_code == 200
    return escaping.unescape(response.content.decode())


@pytest.fixture
def document(alice: Client, cast: Cast, web: Site, allowed: ReferenceSettings) -> PersonalDocument:
    alice.post(reverse("web_pages:add"), {"address": web.url()})
    index_all()
    return PersonalDocument.objects.for_member(cast.alice).get()


def test_a_changed_page_is_a_new_version(alice: Client, web: Site, document: PersonalDocument) -> None:
    web.pages["/deposit"] = NOTICE
    assert "was fetched again, and is being read now." in again(alice, document)
    document.refresh_from_db()
    assert (document.version, document.answering_version) == (2, 1)
    assert document.newest.web_address == web.url()
    index_all()
    assert "two months" in document.chunks.get().text


def test_an_unchanged_page_is_as_of_now(alice: Client, document: PersonalDocument) -> None:
    before = timezone.now() - timedelta(days=3)
    PersonalVersion.objects.update(fetched_at=before)
    assert "The page has not changed." in again(alice, document)
    document.refresh_from_db()
    assert document.version == 1
    fetched_at = document.newest.fetched_at
    assert fetched_at
    assert fetched_at > before + timedelta(days=2)


def test_a_page_that_is_gone_leaves_the_document_as_it_is(alice: Client, web: Site, document: PersonalDocument) -> None:
    web.pages.clear()
    assert "Not fetched: The site has no such page (404)." in again(alice, document)
    document.refresh_from_db()
    assert (document.version, document.status) == (1, "ready")
    assert DEPOSIT[:40] in document.chunks.get().text


def test_nothing_is_fetched_again_once_the_school_allows_it_no_more(
    alice: Client, web: Site, document: PersonalDocument
) -> None:
    asked = web.peer.connections
    ReferenceSettings.objects.update(allows_web_pages=False)
    assert "Your school has not switched on web pages" in again(alice, document)
    assert web.peer.connections == asked


def test_a_file_has_no_page(alice: Client, cast: Cast, web: Site, allowed: ReferenceSettings) -> None:
    assert "is a file, and no web page" in again(alice, personal_document(cast.alice))
    assert not web.peer.connections


def test_nobody_else_fetches_it(cast: Cast, web: Site, document: PersonalDocument) -> None:
    asked = web.peer.connections
    address = reverse("web_pages:again", args=[document.pk])
    for stranger in (cast.bob, cast.carol, cast.charlie, cast.chloe):
        assert signed_in(stranger).post(address).status_code == 404
    assert Client().post(address).headers["Location"].startswith("/accounts/login/")
    assert web.peer.connections == asked


def test_admins_fetch_pages_of_the_library(cast: Cast, web: Site, allowed: ReferenceSettings) -> None:
    signed_in(cast.carol).post(reverse("web_pages:add-to-library"), {"address": web.url()})
    document = SchoolDocument.objects.get()
    assert signed_in(cast.bob).post(reverse("web_pages:library-again", args=[document.pk])).status_code == 403
    assert signed_in(cast.chloe).post(reverse("web_pages:library-again", args=[document.pk])).status_code == 404
    web.pages["/deposit"] = NOTICE
    assert "was fetched again" in again(signed_in(cast.carol), document)
    document.refresh_from_db()
    assert document.version == 2


def test_a_copy_keeps_where_it_is_from(alice: Client, cast: Cast, web: Site, document: PersonalDocument) -> None:
    alice.post(reverse("knowledge:copy", args=[document.pk]))
    copy = PersonalDocument.objects.for_member(cast.alice).exclude(pk=document.pk).get()
    assert copy.newest.web_address == web.url()
