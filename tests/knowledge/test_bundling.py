"""Several Markdown files, or a folder of them, become one textbook."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chatbots.management.commands.import_textbook import Command
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from tests.factories import Cast, index_all, make_file

pytestmark = pytest.mark.django_db
TWO = "# Module 2: Heat\n\nWarm.\n"
TEN = "# Module 10: Light\n\nBright.\n"


def upload(people: Cast, *files: tuple[str, str], title: str = "Physics 9/10", library: bool = False) -> Any:
    client = Client()
    client.force_login((people.carol if library else people.alice).user)
    sent = [make_file(text, name) for name, text in files]
    url = reverse("school_library:upload" if library else "knowledge:upload")
    return client.post(url, {"files": sent, "textbook": title}, follow=True)


def paths(document: Any) -> list[str]:
    return list(document.chunks.order_by("position").values_list("file_path", flat=True))


@pytest.mark.parametrize("library", [False, True])
def test_files_with_a_title_become_one_document(people: Cast, library: bool) -> None:
    upload(people, ("10.md", TEN), ("2.md", TWO), library=library)
    index_all()
    document: Any = (SchoolDocument if library else PersonalDocument)._default_manager.get()
    assert document.title == "Physics 9-10"
    assert paths(document) == ["2.md", "10.md"]


def test_without_a_title_each_is_a_document(people: Cast) -> None:
    upload(people, ("10.md", TEN), ("2.md", TWO), title=" ")
    assert PersonalDocument.objects.count() == 2


def test_the_same_files_in_any_order_are_known(people: Cast) -> None:
    upload(people, ("10.md", TEN), ("2.md", TWO))
    response = upload(people, ("2.md", TWO), ("10.md", TEN))
    assert PersonalDocument.objects.count() == 1
    assert "is the same file as" in response.content.decode()


def test_a_zip_takes_the_title(people: Cast) -> None:
    upload(people, ("10.md", TEN), title="First")
    path = PersonalDocument.objects.get().newest.file
    again = Client()
    again.force_login(people.bob.user)
    again.post(reverse("knowledge:upload"), {"files": [make_file(path.read(), "x.zip")], "textbook": "Second"})
    assert set(PersonalDocument.objects.values_list("title", flat=True)) == {"First", "Second"}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([("a.md", TWO), ("b.pdf", "%PDF-")], "“b.pdf” is not Markdown"),
        ([("a.md", TWO), ("a.md", TEN)], "Two files are called “a.md”"),
    ],
)
def test_what_makes_no_textbook_is_refused_and_nothing_is_taken(
    people: Cast, files: list[tuple[str, str]], words: str
) -> None:
    response = upload(people, *files)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert 'value="Physics 9/10"' in response.content.decode()
    assert not PersonalDocument.objects.exists()


def test_a_textbook_is_no_larger_than_a_document(people: Cast, settings: Settings) -> None:
    settings.LECTERN_MAX_UPLOAD_MB = 1
    half = "x" * (600 * 1024)
    response = upload(people, ("a.md", half), ("b.md", half))
    assert "more than 1 MB" in response.content.decode()


# The command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    book = tmp_path / "physics"
    (book / "b").mkdir(parents=True)
    (book / "b" / "10.md").write_text(TEN)
    (book / "b" / "2.md").write_text(TWO)
    (book / "picture.png").write_text("x")
    (book / ".git").mkdir()
    (book / ".git" / "c.md").write_text("x")
    (tmp_path / "secret.md").write_text("secret")
    (book / "link.md").symlink_to(tmp_path / "secret.md")
    return book


def run(*arguments: Any) -> str:
    said = StringIO()
    call_command(Command(stdout=said), *map(str, arguments))
    return said.getvalue()


def test_a_folder_is_taken_in_and_then_what_changed(people: Cast, folder: Path) -> None:
    email = people.alice.user.email
    assert run(folder, email) == "“physics” (2 files) was uploaded and is being read.\n"
    index_all()
    document = PersonalDocument.objects.for_member(people.alice).get()
    assert paths(document) == ["b/2.md", "b/10.md"]
    assert run(folder, email) == "“physics” (2 files) has not changed.\n"
    (folder / "b" / "10.md").write_text("### Odd\n\n```\nopen")
    run(folder, email)
    index_all()
    assert document.versions.get(number=2).notes
    assert run(folder, email) == "“physics” (2 files) has not changed.\n"
    (folder / "b" / "10.md").write_text(TEN)
    run(folder, email)
    index_all()
    (folder / "b" / "3.md").write_text("# Module 3: Sound\n\nLoud.\n")
    assert run(folder, email) == "“physics” (3 files) was added as a new version and is being read.\n"
    index_all()
    assert paths(document) == ["b/2.md", "b/3.md", "b/10.md"]
    assert "is there already, as “physics”" in run(folder, email, "--title", "Another")
    assert PersonalDocument.objects.count() == 1


@pytest.mark.parametrize("is_read", [True, False])
def test_another_document_of_its_title_is_left_alone(people: Cast, folder: Path, is_read: bool) -> None:
    upload(people, ("physics.md", "# My notes\n\nMine.\n"), title="")
    if is_read:
        index_all()
    notes = PersonalDocument.objects.get()
    with pytest.raises(CommandError, match=r"is no textbook in Markdown.*--title"):
        run(folder, people.alice.user.email, "--title", notes.title)
    assert notes.versions.count() == 1
    assert run(folder, people.alice.user.email, "--title", "Book").endswith("was uploaded and is being read.\n")


def test_a_textbook_that_is_not_read_yet_gets_a_new_version(people: Cast, folder: Path) -> None:
    run(folder, people.alice.user.email)
    (folder / "b" / "3.md").write_text("# Module 3: Sound\n\nLoud.\n")
    assert "as a new version" in run(folder, people.alice.user.email)


def test_admins_import_into_the_library(people: Cast, folder: Path) -> None:
    run(folder, people.carol.user.email, "--library", "--title", "Physics")
    assert SchoolDocument.objects.get().school == people.carol.school
    with pytest.raises(CommandError, match="is no admin there"):
        run(folder, people.alice.user.email, "--library")


def test_what_cannot_be_imported_is_said(people: Cast, folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments, words in (
        ((tmp_path / "none", people.alice.user.email), "is no folder"),
        ((empty, people.alice.user.email), "no Markdown files"),
        ((folder, "nobody@nowhere.example"), "nobody with the e-mail address"),
    ):
        with pytest.raises(CommandError, match=words):
            run(*arguments)
    assert not PersonalDocument.objects.exists()
