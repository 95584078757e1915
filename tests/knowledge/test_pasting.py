"""Text that is pasted becomes a document like one that was uploaded."""

import pytest
from django.test import Client
from django.urls import reverse

from corpus.models import Status
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from tests.factories import Cast, index_all, signed_in

PASTE = reverse("knowledge:paste")
TEXT = "Vinegar is an acid.\r\n\r\nSoap is a base."


def test_pasted_text_is_read_under_the_title_that_was_typed(alice: Client, cast: Cast) -> None:
    assert PASTE in alice.get(reverse("knowledge:list")).content.decode()
    response = alice.post(PASTE, {"title": "Acids: a/b", "text": TEXT})
    document = PersonalDocument.objects.for_member(cast.alice).get()
    assert response.headers["Location"] == reverse("knowledge:detail", args=[document.pk])
    index_all()
    document.refresh_from_db()
    assert (document.title, document.status) == ("Acids: a/b", Status.READY)
    assert "Soap is a base." in document.chunks.get().text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"title": "Acids", "text": " \n "}, "Paste some text first."),
        ({"title": "a" * 121, "text": TEXT}, "at most 120 characters"),
        ({"title": "Acids", "text": "a" * 200_001}, "at most 200,000"),
        ({"title": "Acids", "text": "\x00\x01"}, "Null characters are not allowed."),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_lost(alice: Client, data: dict[str, str], words: str) -> None:
    response = alice.post(PASTE, data)
    page = response.content.decode()
    assert response.status_code == 422
    assert words in page
    assert f'value="{data["title"]}"' in page
    assert "Vinegar" not in data["text"] or "Vinegar is an acid." in page
    assert not PersonalDocument.objects.exists()


def test_the_same_text_again_leads_to_the_document_that_has_it(alice: Client, cast: Cast) -> None:
    alice.post(PASTE, {"title": "Acids", "text": TEXT})
    response = alice.post(PASTE, {"title": "Other", "text": TEXT}, follow=True)
    assert "This text is there already, as “Acids”." in response.content.decode()
    assert PersonalDocument.objects.count() == 1


def test_only_admins_paste_into_the_library(cast: Cast) -> None:
    address = reverse("school_library:paste")
    assert signed_in(cast.bob).post(address, {"title": "Rules", "text": TEXT}).status_code == 403
    assert Client().post(address, {"title": "Rules", "text": TEXT}).status_code == 302
    assert not SchoolDocument.objects.exists()
    signed_in(cast.carol).post(address, {"title": "Rules", "text": TEXT})
    assert SchoolDocument.objects.for_school(cast.carol.school).get().title == "Rules"
    assert not SchoolDocument.objects.for_school(cast.chloe.school).exists()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"\n# The *acids* of year 9 #\n\n{TEXT}", "The acids of year 9"),
        (f"For 8b\n\n## Rivers\n\n{TEXT}", "Rivers"),
        (TEXT, "Vinegar is an acid."),
        ("- Goggles are worn", "Goggles are worn"),
        ("---\n\nVinegar", "Vinegar"),
        ("...", "Pasted text"),
        (f"{'wandering ' * 20}rivers", f"{'wandering ' * 6}".strip() + "…"),
    ],
)
def test_without_a_title_the_text_gives_it(alice: Client, text: str, title: str) -> None:
    assert alice.post(PASTE, {"text": text}).status_code == 302
    assert PersonalDocument.objects.get().title == title
