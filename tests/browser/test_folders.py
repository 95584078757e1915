"""Whole folders: dropped, or chosen by a button. What cannot be read is left out and named."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from tests.browser.conftest import Desk
from tests.factories import Cast

pytestmark = pytest.mark.browser

LEFT_OUT = "Left out of the folder, because they cannot be read or are hidden: “film.mp4”, “program.exe”, 2 hidden."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files that can be read, one of them in a folder of its own, two of other kinds, and two hidden ones."""
    folder = tmp_path / "Acids"
    (folder / "more").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "acids.md").write_text("# Acids\n\nVinegar is an acid.\n")
    (folder / "more" / "Bases.TXT").write_text("Soap is a base, and feels slippery between the fingers.\n")
    (folder / "film.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + bytes(64))
    (folder / "program.exe").write_bytes(b"MZ")
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / ".git" / "notes.md").write_text("# Never\n")
    return folder


def drop(page: Page, form: Locator, *paths: Path) -> None:
    """As the system does it when files are dragged into the window; scripts cannot make up a folder."""
    form.scroll_into_view_if_needed()
    box = form.bounding_box()
    assert box
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 20}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    devtools = page.context.new_cdp_session(page)
    for step in ("dragEnter", "dragOver", "drop"):
        devtools.send("Input.dispatchDragEvent", {"type": step, **place, "data": data})


@pytest.mark.parametrize("path", ["/documents/", "/chatbots/start/"])
def test_a_folder_is_dropped(desk: Desk, people: Cast, folder: Path, path: str) -> None:
    page = desk.sign_in(people.alice)
    page.goto(path)
    drop(page, page.locator("form[data-drop]"), folder)
    expect(page.locator(".messages")).to_contain_text(LEFT_OUT)
    expect(page.get_by_text("Bases", exact=True).first).to_be_visible()
    assert sorted(PersonalDocument.objects.values_list("title", flat=True)) == ["Bases", "acids"]


def test_a_folder_without_anything_to_read_is_not_sent(desk: Desk, people: Cast, folder: Path) -> None:
    page = desk.sign_in(people.alice)
    page.goto("/documents/")
    for path in (folder / "acids.md", folder / "more" / "Bases.TXT"):
        path.unlink()
    drop(page, page.locator("form[data-drop]"), folder)
    expect(page.get_by_text(f"There is no file in this folder that can be read. {LEFT_OUT}")).to_be_visible()
    assert not PersonalDocument.objects.exists()


def test_files_are_dropped_as_before(desk: Desk, people: Cast, folder: Path) -> None:
    """Without a folder nothing is left out: the server says what is wrong with a file."""
    page = desk.sign_in(people.alice)
    page.goto("/documents/")
    drop(page, page.locator("form[data-drop]"), folder / "acids.md", folder / "film.mp4")
    expect(page.locator(".messages")).to_contain_text("“film.mp4” cannot be read.")
    assert PersonalDocument.objects.get().title == "acids"


def test_a_folder_is_chosen_for_the_library(desk: Desk, people: Cast, folder: Path) -> None:
    page = desk.sign_in(people.carol)
    page.goto("/library/upload/")
    page.get_by_label("Choose a folder").set_input_files(folder)
    expect(page.get_by_text(LEFT_OUT)).to_be_visible()
    page.get_by_label("Subject").fill("Chemistry")
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator(".messages")).to_contain_text(LEFT_OUT)
    assert set(SchoolDocument.objects.values_list("title", "subject")) == {
        ("Bases", "Chemistry"),
        ("acids", "Chemistry"),
    }


def test_too_many_files_are_told_before_they_are_sent(desk: Desk, people: Cast, folder: Path) -> None:
    page = desk.sign_in(people.alice)
    page.goto("/documents/")
    for number in range(210):
        (folder / f"{number}.txt").write_text(f"Number {number} of many.")
    drop(page, page.locator("form[data-drop]"), folder)
    files = page.get_by_label("Files to upload")
    expect(files).to_have_js_property("validationMessage", "These are 212 files; at most 200 can be sent at once.")
    assert not PersonalDocument.objects.exists()
