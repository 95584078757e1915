"""Each file is added or refused for itself, and the teacher is told in words (D1, D7)."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from corpus.models import Status
from knowledge.models import PersonalDocument
from tests import documents
from tests.factories import ACIDS, Cast, personal_document, signed_in
from tests.limits import set_limit

UPLOAD, LIST = reverse("knowledge:upload"), reverse("knowledge:list")


def a_file(name: str = "acids.md", content: str | bytes = ACIDS) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def send(client: Client, *files: SimpleUploadedFile) -> tuple[list[tuple[str, str]], Any]:
    """Levels and words of what the teacher is told, and the page that tells it."""
    response = client.post(UPLOAD, {"files": list(files)}, follow=True)
    return [(message.level_tag, str(message)) for message in response.context["messages"]], response


def test_an_empty_list_says_what_to_do_next(alice: Client) -> None:
    page = alice.get(LIST).content.decode()
    assert "Nothing here yet" in page
    assert reverse("chatbots:start") in page
    assert 'enctype="multipart/form-data"' in page


def test_one_file_waits_to_be_read_under_a_title_made_from_its_name(alice: Client, cast: Cast) -> None:
    told, response = send(alice, a_file("Year_9 acids.md"))
    document = PersonalDocument.objects.for_member(cast.alice).get()
    link = f'<a href="{reverse("knowledge:detail", args=[document.pk])}">Year 9 acids</a>'
    assert told == [("info", f"“{link}” is uploaded. It is being read now.")]
    assert link in response.content.decode()
    assert response.redirect_chain == [(LIST, 302)]
    assert (document.title, document.status, document.version) == ("Year 9 acids", Status.QUEUED, 1)
    assert "Waiting to be read" in response.content.decode()
    assert "Year_9 acids.md" in response.content.decode()


def test_of_several_files_the_good_ones_are_taken(alice: Client, cast: Cast) -> None:
    told, _ = send(alice, a_file("one.md", "# One"), a_file("empty.txt", b""), a_file("two.md", "# Two"))
    assert sorted(level for level, _ in told) == ["error", "info", "info"]
    assert ("error", "Not taken: “empty.txt” is empty.") in told
    titles = PersonalDocument.objects.for_member(cast.alice).values_list("title", flat=True)
    assert sorted(titles) == ["one", "two"]


def test_when_no_file_is_taken_the_page_says_why(alice: Client) -> None:
    told, response = send(alice, a_file("empty.txt", b""))
    assert told == [("error", "Not taken: “empty.txt” is empty.")]
    assert response.status_code == 422


def test_many_new_files_are_told_in_one_sentence(alice: Client) -> None:
    told, _ = send(alice, *(a_file(f"{n}.md", f"# Number {n}") for n in range(5)))
    assert told == [("info", "5 documents are uploaded. They are being read now.")]


def test_a_file_that_is_too_large_is_refused_with_the_limit(alice: Client, cast: Cast, settings: Settings) -> None:
    settings.LECTERN_MAX_UPLOAD_MB = 1
    told, _ = send(alice, a_file("large.txt", b"x" * (1024 * 1024 + 1)), a_file())
    assert [level for level, _ in told] == ["error", "info"]
    assert "at most 1 MB" in told[0][1]
    assert PersonalDocument.objects.for_member(cast.alice).count() == 1


def test_the_same_file_again_is_recognised_under_any_name(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice, title="Acids of year 9")
    told, _ = send(alice, a_file("copy.md"))
    assert told[0][0] == "info"
    link = f'<a href="{reverse("knowledge:detail", args=[document.pk])}">Acids of year 9</a>'
    assert f"“copy.md” is the same file as “{link}”" in told[0][1]
    assert PersonalDocument.objects.for_member(cast.alice).count() == 1


def test_the_same_file_of_a_colleague_is_another_document(alice: Client, cast: Cast) -> None:
    personal_document(cast.bob)
    told, _ = send(alice, a_file())
    assert told[0][0] == "info"
    assert PersonalDocument.objects.count() == 2


def test_a_changed_file_of_a_known_name_may_be_meant_as_an_update(alice: Client, cast: Cast) -> None:
    old = personal_document(cast.alice, title="Acids of year 9")
    told, _ = send(alice, a_file("acids.md", "# Something else"))
    new = PersonalDocument.objects.get(title="acids")
    assert [level for level, _ in told] == ["info", "warning"]
    assert "It was added as a second document: both are kept" in told[1][1]
    links = [("detail", new), ("detail", old), ("merge", new)]
    addresses = [reverse(f"knowledge:{page}", args=[document.pk]) for page, document in links]
    assert re.findall(r'href="([^"]+)"', told[1][1]) == addresses


@pytest.mark.parametrize("known", [False, True])
def test_a_file_chosen_twice_is_told_about_once(alice: Client, cast: Cast, known: bool) -> None:
    if known:
        personal_document(cast.alice)
    told, _ = send(alice, a_file(), a_file())
    assert [level for level, _ in told] == ["info"]
    assert PersonalDocument.objects.for_member(cast.alice).count() == 1


def test_of_two_new_files_of_one_name_the_second_is_told_about_the_first(alice: Client) -> None:
    told, _ = send(alice, a_file("acids.md", "# One"), a_file("acids.md", "# Two"))
    assert [level for level, _ in told] == ["info", "info", "warning"]


def test_a_file_name_cannot_bring_markup_into_a_message(alice: Client) -> None:
    told, _ = send(alice, a_file("<b>acids&.md"))
    assert "&lt;b&gt;acids&amp;</a>” is uploaded" in told[0][1]


def test_no_file_at_all(alice: Client) -> None:
    response = alice.post(UPLOAD, {})
    assert response.status_code == 422
    assert "Choose at least one file first." in response.content.decode()


def test_more_files_than_allowed_are_refused_together(alice: Client, cast: Cast, settings: Settings) -> None:
    settings.LECTERN_MAX_FILES_PER_UPLOAD = 2
    response = alice.post(UPLOAD, {"files": [a_file(f"{n}.md", f"# {n}") for n in range(3)]})
    assert "These are 3 files; at most 2 can be sent at once." in response.content.decode()
    assert not PersonalDocument.objects.for_member(cast.alice).exists()


def test_nobody_uploads_without_end(alice: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "UPLOADS", 2)
    told, _ = send(alice, a_file("one.md", "# One"), a_file("two.md", "# Two"), a_file("three.md", "# Three"))
    assert sorted(level for level, _ in told) == ["error", "info", "info"]
    assert any("2 files were uploaded within an hour" in words for _, words in told)
    document = PersonalDocument.objects.for_member(cast.alice)[0]
    form = {"file": a_file("one.md", "# 1"), "seen": 1}
    replaced = alice.post(reverse("knowledge:replace", args=[document.pk]), form)
    assert replaced.status_code == 422 and "within an hour" in replaced.content.decode()
    assert PersonalDocument.objects.for_member(cast.alice).count() == 2
    assert send(signed_in(cast.bob), a_file())[0][0][0] == "info", "a colleague goes on"


def test_only_a_form_can_upload(alice: Client) -> None:
    assert alice.get(UPLOAD).status_code == 405


RANDOM = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("plan.pdf", RANDOM, "It is named like a PDF, but it is not one"),
        ("plan.docx", RANDOM, "It is named like a Word document"),
        ("notes.txt", RANDOM, "It is named like a text file"),
        ("film.mp4", RANDOM, "This is not a document that can be read. Lectern can read PDF"),
        ("film.pdf", b"\x00\x00\x00\x20ftypisom" + RANDOM, "This is a video."),
        ("song.mp3", b"ID3\x04\x00" + RANDOM, "This is an audio file."),
        ("secret.docx", documents.old_office("EncryptedPackage"), "Remove the password"),
        ("set-up.exe", b"MZ\x90\x00\x03" + RANDOM, "This is a program."),
    ],
)
def test_what_is_no_document_is_refused_and_the_others_are_taken(
    alice: Client, name: str, content: bytes, words: str
) -> None:
    told, response = send(alice, a_file(name, content), a_file())
    assert [level for level, _ in told] == ["error", "info"]
    assert told[0][1].startswith(f"Not taken: “{name}” cannot be read. ")
    assert words in told[0][1]
    assert PersonalDocument.objects.get().newest.filename == "acids.md"
    assert response.status_code == 200


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("umlauts.txt", ("ä" * 200_000).encode()),  # a letter lies across the end of what is looked at
        ("utf-16.txt", "Säuren und Basen".encode("utf-16")),
        ("latin.txt", "Säuren und Basen".encode("latin-1")),
        ("junk-first.pdf", b"\x01\x02%PDF-1.4 and so on"),
        ("damaged.docx", b"PK\x03\x04 and nothing else"),
    ],
)
def test_what_may_be_readable_is_taken(alice: Client, name: str, content: bytes) -> None:
    told, _ = send(alice, a_file(name, content))
    assert [level for level, _ in told] == ["info"]


def test_a_new_version_that_is_no_document_is_refused_at_once(alice: Client, cast: Cast) -> None:
    document = personal_document(cast.alice)
    address = reverse("knowledge:replace", args=[document.pk])
    response = alice.post(address, {"file": a_file("new.pdf", RANDOM)})
    assert response.status_code == 422
    assert "“new.pdf” cannot be read." in response.content.decode()
    assert document.versions.count() == 1
