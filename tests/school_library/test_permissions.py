"""Library documents are read-only for teachers; what one may not see does not exist (L2, S2)."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from school_library.models import SchoolDocument
from schools.models import Membership
from tests.factories import SAFETY, Cast, make_file, school_document

ClientOf = Callable[[Membership], Client]
CHANGES = ["edit", "replace", "publish", "withdraw", "retry", "cancel", "copy", "merge", "delete"]
READS = ["detail", "row", "file"]


@pytest.fixture
def document(cast: Cast) -> SchoolDocument:
    return school_document(cast.carol)


def url(action: str, document: SchoolDocument) -> str:
    return reverse(f"school_library:{action}", args=[document.pk])


@pytest.mark.parametrize("action", READS)
def test_every_member_reads(cast: Cast, document: SchoolDocument, sign_in: ClientOf, action: str) -> None:
    for member in (cast.alice, cast.bob, cast.carol):
        assert sign_in(member).get(url(action, document)).status_code == 200


@pytest.mark.parametrize("action", READS)
def test_another_school_finds_nothing(cast: Cast, document: SchoolDocument, sign_in: ClientOf, action: str) -> None:
    for stranger in (cast.charlie, cast.chloe):
        assert sign_in(stranger).get(url(action, document)).status_code == 404


@pytest.mark.parametrize("action", READS)
def test_teachers_do_not_find_what_is_withdrawn(
    cast: Cast, document: SchoolDocument, sign_in: ClientOf, action: str
) -> None:
    SchoolDocument.objects.update(is_published=False)
    assert sign_in(cast.alice).get(url(action, document)).status_code == 404
    assert sign_in(cast.carol).get(url(action, document)).status_code == 200


@pytest.mark.parametrize("action", CHANGES)
def test_teachers_change_nothing(cast: Cast, document: SchoolDocument, sign_in: ClientOf, action: str) -> None:
    before = SchoolDocument.objects.values().get(pk=document.pk)
    data = {"title": "Mine", "file": make_file("# Mine", "mine.md")}
    assert sign_in(cast.alice).post(url(action, document), data).status_code == 403
    for stranger in (cast.charlie, cast.chloe):
        assert sign_in(stranger).post(url(action, document), data).status_code == 404
    SchoolDocument.objects.update(is_published=False)
    assert sign_in(cast.alice).post(url(action, document), data).status_code == 404
    SchoolDocument.objects.update(is_published=True)
    assert SchoolDocument.objects.values().get(pk=document.pk) == before


@pytest.mark.parametrize("action", ["publish", "retry"])
def test_a_link_alone_changes_nothing(cast: Cast, document: SchoolDocument, sign_in: ClientOf, action: str) -> None:
    assert sign_in(cast.carol).get(url(action, document)).status_code == 405


def test_teachers_do_not_upload(cast: Cast, sign_in: ClientOf) -> None:
    upload = reverse("school_library:upload")
    assert sign_in(cast.alice).get(upload).status_code == 403
    assert sign_in(cast.alice).post(upload, {"files": make_file()}).status_code == 403
    assert not SchoolDocument.objects.exists()


def test_teachers_are_offered_no_changes(cast: Cast, document: SchoolDocument, sign_in: ClientOf) -> None:
    for page in (reverse("school_library:list"), url("detail", document)):
        text = sign_in(cast.alice).get(page).content.decode()
        assert not [action for action in CHANGES if url(action, document) in text]
        assert reverse("school_library:upload") not in text


def test_teachers_download_the_version_that_answers(cast: Cast, document: SchoolDocument, sign_in: ClientOf) -> None:
    sign_in(cast.carol).post(url("replace", document), {"file": make_file("# New", "new.md")})
    for query in ("", "?version=2"):
        assert sign_in(cast.alice).get(url("file", document) + query).getvalue() == SAFETY.encode()
    assert sign_in(cast.carol).get(url("file", document)).getvalue() == b"# New"


@pytest.mark.parametrize("action", [*READS, *CHANGES])
def test_the_anonymous_sign_in_first(document: SchoolDocument, action: str) -> None:
    method = Client().post if action in ("publish", "retry", "cancel") else Client().get
    assert method(url(action, document)).headers["Location"].startswith(reverse("account_login"))
