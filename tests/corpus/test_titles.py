"""The title of a document is taken from its file, unless somebody has given one."""

import pytest
from django.test import Client
from django.urls import reverse

from corpus.ingestion import uploads
from corpus.ingestion.parsing import parse
from corpus.ingestion.readers.titles import sensible_title
from knowledge.models import PersonalDocument
from knowledge.services import upload
from school_library.models import SchoolDocument
from school_library.services import upload as upload_to_library
from tests import documents
from tests.factories import Cast, index_all, make_file, signed_in

TEXT = "# Acids in the kitchen\n\nVinegar is an acid.\n"


@pytest.mark.parametrize(
    "stated",
    [
        None,
        "",
        "  ",
        "untitled",
        "Untitled document",
        "Unbenannt 1",
        "(anonymous)",
        "Microsoft Word - Acids final.doc",
        "acids_final_v2.pdf",
        "Document1",
        "Dokument 3",
        "PowerPoint-Präsentation",
        "Présentation PowerPoint",
        "Folie 1",
        "Mappe1",
        "C:\\Users\\Anna\\acids",
        "file:///tmp/acids",
        "2024-05-03",
        "– –",
    ],
)
def test_what_a_program_put_there_is_no_title(stated: str | None) -> None:
    assert sensible_title(stated) is None


@pytest.mark.parametrize(
    "stated", ["Acids", "Scandinavia", "Document analysis", "Présentation de l’école", "Title IX", "8b"]
)
def test_words_that_only_begin_like_that_are_a_title(stated: str) -> None:
    assert sensible_title(f" {stated}\n") == stated


def test_the_largest_words_on_the_first_page_of_a_pdf_are_its_title() -> None:
    first: list[documents.Line] = [
        ("Riverside School", 14),
        ("Acids and", 22),
        ("bases", 22),
        "",
        "Vinegar is an acid.",
    ]
    second: list[documents.Line] = [("Soaps and more", 22), "Soap is made of fat."]
    assert parse(documents.pdf([first, second], title="untitled")).title == "Acids and bases"
    assert parse(documents.pdf([["Vinegar is an acid."], second])).title is None


def test_a_new_document_gets_the_title_in_its_file(cast: Cast) -> None:
    document, _ = upload(member=cast.alice, file=make_file(TEXT, "scan_0815_final.md"))
    assert document.title == "scan 0815 final"
    index_all()
    document.refresh_from_db()
    assert document.title == "Acids in the kitchen"
    assert document.chunks.extra(where=["search @@ plainto_tsquery('english', 'kitchen')"]).exists()


def test_the_file_name_stays_where_the_file_has_no_title(cast: Cast) -> None:
    document, _ = upload(member=cast.alice, file=make_file("Vinegar is an acid.", "kitchen_acids.txt"))
    index_all()
    document.refresh_from_db()
    assert document.title == "kitchen acids"


def test_a_title_that_was_given_with_the_file_wins(cast: Cast) -> None:
    document, _ = upload(member=cast.alice, file=make_file(TEXT), title="Lesson 3")
    index_all()
    document.refresh_from_db()
    assert document.title == "Lesson 3"


def test_a_title_typed_before_the_file_is_read_wins(cast: Cast) -> None:
    document, _ = upload(member=cast.alice, file=make_file(TEXT))
    signed_in(cast.alice).post(reverse("knowledge:rename", args=[document.pk]), {"title": "Lesson 3"})
    index_all()
    document.refresh_from_db()
    assert document.title == "Lesson 3"


def test_a_new_version_does_not_change_the_title(cast: Cast) -> None:
    document, _ = upload(member=cast.alice, file=make_file(TEXT))
    index_all()
    document.refresh_from_db()
    uploads.replace(document, make_file("# Bases\n\nSoap is a base.\n"), by=cast.alice.user)
    index_all()
    document.refresh_from_db()
    assert document.title == "Acids in the kitchen"


def test_tags_saved_while_the_file_is_read_keep_the_title_in_it(cast: Cast) -> None:
    document, _ = upload_to_library(member=cast.carol, file=make_file(TEXT, "acids_2.md"))
    client = signed_in(cast.carol)
    url = reverse("school_library:edit", args=[document.pk])
    assert 'name="initial-title" value="acids 2"' in client.get(url).content.decode()
    index_all()
    shown = {"title": "acids 2", "initial-title": "acids 2", "subject": "Chemistry"}
    client.post(url, shown)
    document = SchoolDocument.objects.get()
    assert (document.title, document.subject) == ("Acids in the kitchen", "Chemistry")
    client.post(url, shown | {"title": "Lesson 3"})
    assert SchoolDocument.objects.get().title == "Lesson 3"


def test_the_title_of_a_program_wins_over_that_in_the_file(cast: Cast, client: Client) -> None:
    client.force_login(cast.alice.user)
    named = client.post("/api/v1/documents", {"file": make_file(TEXT, "a.md"), "title": "Lesson 3"}).json()
    other = client.post("/api/v1/documents", {"file": make_file("# Bases\n\nSoap is a base.\n", "b.md")}).json()
    index_all()
    assert client.get(f"/api/v1/documents/{named['id']}").json()["title"] == "Lesson 3"
    assert (other["title"], client.get(f"/api/v1/documents/{other['id']}").json()["title"]) == ("b", "Bases")


def test_a_long_title_is_shortened(cast: Cast) -> None:
    upload(member=cast.alice, file=make_file(f"# {'Acids and bases ' * 30}\n\nVinegar.\n"))
    index_all()
    title = PersonalDocument.objects.get().title
    assert len(title) <= 200
    assert title.endswith("Acids…")
