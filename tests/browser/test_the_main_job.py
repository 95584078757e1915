"""What the product is for, from signing in to an answer from the replaced document, as people do it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chatbots.models import Message
from corpus.models import Status
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from tests.browser.conftest import Desk
from tests.documents import word as make_word
from tests.factories import ACIDS, SAFETY, Cast
from tests.running import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("worker")]


def upload(page: Page, path: str, *files: Path) -> None:
    page.goto(path)
    page.set_input_files("input[name=files]", [str(file) for file in files])
    page.click("button:has-text('Upload')")


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def ask(page: Page, question: str) -> None:
    page.fill("#question", question)
    page.click(".composer button")


def test_from_sign_in_to_an_answer_from_the_replaced_document(desk: Desk, people: Cast, tmp_path: Path) -> None:
    admin = desk.sign_in_by_form(people.carol)
    upload(admin, "/library/upload/", write(tmp_path, "Laboratory safety.md", SAFETY))
    expect(admin.locator("body")).to_contain_text("Laboratory safety")
    wait_for(lambda: SchoolDocument.objects.filter(status=Status.READY).exists())

    teacher = desk.sign_in_by_form(people.alice)
    upload(teacher, "/documents/", write(tmp_path, "Acids plan.md", ACIDS))
    row = teacher.locator("main .row, main tr", has_text="Year 9 acids")
    expect(row).to_contain_text("Ready", timeout=30_000)

    teacher.goto("/chatbots/new/")
    teacher.fill("[name=name]", "Chemistry 9 helper")
    teacher.get_by_label("Year 9 acids").check()
    teacher.get_by_label("Laboratory safety policy").check()
    expect(teacher.locator("#places")).to_contain_text("3 personal · 2 school")
    teacher.click("button:has-text('Make the chatbot')")

    ask(teacher, "How strong may acids be without a teacher demonstration?")
    first = teacher.locator(".turn").first
    expect(first.locator(".answer[data-finished]")).to_contain_text("1 mol/l", timeout=30_000)
    note = first.locator(".note.kind-school", has_text="1 mol/l").first
    expect(note).to_contain_text("Laboratory safety policy › Acids")
    chat = teacher.url

    note.locator("h3 a").click()
    expect(teacher.locator("mark#passage")).to_contain_text("at most 1 mol/l")
    expect(teacher.locator("mark#passage")).to_be_in_viewport()
    teacher.goto(chat)

    admin.goto(f"/library/{SchoolDocument.objects.get().pk}/replace/")
    admin.set_input_files("input[type=file]", str(write(tmp_path, "new.md", SAFETY.replace("1 mol/l", "2 mol/l"))))
    admin.click("main form button")
    wait_for(lambda: SchoolDocument.objects.filter(answering_version=2).exists())

    ask(teacher, "How strong may acids be without a teacher demonstration, please?")
    second = teacher.locator(".turn").nth(1)
    expect(second.locator(".answer[data-finished]")).to_contain_text("2 mol/l", timeout=30_000)
    assert teacher.url == chat
    expect(first.locator(".answer")).to_contain_text("1 mol/l")
    first.locator(".note.kind-school", has_text="1 mol/l").first.locator("h3 a").click()
    expect(teacher.locator(".notice")).to_contain_text("updated since")
    was, now = teacher.locator(".since-texts section").all()
    expect(was.locator("mark")).to_contain_text("at most 1 mol/l")
    expect(now).to_contain_text("at most 2 mol/l")


def test_several_files_of_every_kind_at_once(desk: Desk, people: Cast, tmp_path: Path) -> None:
    word = tmp_path / "Word plan.docx"
    word.write_bytes(make_word(("Heading 1", "Practical"), ("Normal", "Use the blue burettes.")))
    page = desk.sign_in_by_form(people.alice)
    broken = tmp_path / "Broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    upload(page, "/documents/", word, broken, write(tmp_path, "Note.txt", "Burettes are kept in cupboard seven."))
    wait_for(
        lambda: not PersonalDocument.objects.unfinished().exists() and PersonalDocument.objects.count() == 3,
        60,
    )
    expect(page.locator("main")).to_contain_text("Could not be read", timeout=120_000)
    expect(page.locator("main")).to_contain_text("damaged")
    assert PersonalDocument.objects.filter(status=Status.READY).count() == 2


def test_a_question_without_javascript(desk: Desk, people: Cast) -> None:
    from tests.factories import make_chatbot, personal_document

    chatbot = make_chatbot(people.alice, personal=[personal_document(people.alice)])
    page = desk.sign_in_by_form(people.alice, java_script_enabled=False)
    page.goto(f"/chatbots/{chatbot.pk}/")
    ask(page, "How strong is the hydrochloric acid?")
    wait_for(lambda: Message.objects.filter(status="done").exists())
    page.wait_for_url("**/chats/**")  # the answer may be there before the page that shows it
    page.reload()
    expect(page.locator(".answer")).to_contain_text("0.5 mol/l")
