"""On the start page files are sent as soon as they are chosen; without scripts by the button."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from knowledge.models import PersonalDocument
from tests.browser.conftest import Desk
from tests.factories import Cast

pytestmark = pytest.mark.browser

START = "/chatbots/start/"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("rivers.md", "lakes.md")]
    for path in paths:
        path.write_text(f"About {path.stem}, of which there are many.\n")
    return paths


def test_files_are_sent_when_they_are_chosen(desk: Desk, people: Cast, files: list[Path]) -> None:
    page = desk.sign_in(people.alice)
    page.goto(START)
    button = page.get_by_role("button", name="Upload", exact=True)
    expect(button).to_be_hidden()
    page.set_input_files("input[name=files]", files)
    expect(page.locator("input[name=documents]")).to_have_count(2)
    page.set_input_files("input[name=files]", [])
    assert PersonalDocument.objects.count() == 2


def test_a_textbook_waits_for_its_title(desk: Desk, people: Cast, files: list[Path]) -> None:
    page = desk.sign_in(people.alice)
    page.goto(START)
    page.get_by_text("Several Markdown files that are one textbook").click()
    page.set_input_files("input[name=files]", files)
    page.get_by_label("Title of the textbook").fill("Water")
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator("input[name=documents]")).to_have_count(1)
    assert PersonalDocument.objects.get().title == "Water"


def test_without_scripts_there_is_a_button(desk: Desk, people: Cast, files: list[Path]) -> None:
    page = desk.sign_in(people.alice, java_script_enabled=False)
    page.goto(START)
    page.set_input_files("input[name=files]", files)
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator("input[name=documents]")).to_have_count(2)
