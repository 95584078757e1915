"""A class in real browsers: the teacher opens it, a pupil joins on a phone and asks, and the teacher sees it live."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from chatbots.models import Chatbot, Message
from classrooms import hands
from classrooms.models import Flag, Pupil
from tests.browser.conftest import Desk
from tests.browser.test_accessibility import faults_of_all
from tests.classrooms.classes import QUESTION, decide, join, make_asked, open_class
from tests.factories import Cast, make_chatbot, make_helper

pytestmark = pytest.mark.browser
CONCERN = "/schools/classes/concern/"
PHONE = {"width": 390, "height": 800}


def open_a_class(page: Page, chatbot: Chatbot) -> int:
    """Open the chatbot to a class from its page, as a teacher does; how often a button or link was pressed."""
    page.goto(f"/chatbots/{chatbot.pk}/")
    page.locator(".head details.menu > summary").click()
    page.get_by_role("link", name="Open to a class").click()
    page.get_by_label("Name of the class").fill("Geography 9b")
    page.get_by_role("button", name="Open the class").click()
    page.wait_for_url(re.compile("/classes/[0-9a-f-]+/$"))
    return 3


def come_in(desk: Desk, code: str) -> Page:
    """A phone on which a pupil has joined, with the field for questions."""
    phone = desk.open(viewport=PHONE)
    phone.goto("/c/")
    phone.get_by_label("Code").fill(code.lower())
    phone.keyboard.press("Enter")
    phone.locator(".nicknames button").nth(2).click()
    expect(phone.locator(".own-code")).to_be_visible()
    phone.get_by_role("link", name="Start asking").click()
    expect(phone.get_by_label("Your question")).to_be_focused()
    return phone


def send(phone: Page, question: str) -> None:
    """Type a question and press Enter, once the page's scripts are there: without them Enter begins a line."""
    phone.get_by_label("Your question").fill(question)
    phone.wait_for_load_state()
    phone.keyboard.press("Enter")


def ask(phone: Page, question: str) -> None:
    send(phone, question)
    expect(phone.locator(".turn").last.get_by_role("heading", name=question)).to_be_visible()
    expect(phone.locator(".turn").last.locator("[data-finished]")).to_be_visible()


def test_a_lesson(desk: Desk, people: Cast) -> None:
    chatbot = make_helper(people)
    decide(people.alice.school, goes_without_lead=True)
    teacher = desk.sign_in(people.alice)
    assert open_a_class(teacher, chatbot) <= 4
    where = teacher.url
    code = teacher.locator(".own-code").inner_text()
    phone = come_in(desk, code)
    ask(phone, QUESTION)
    expect(phone.locator(".turn .cite").first).to_be_visible()
    ask(phone, "Who won in 1954?")  # in the same conversation, without loading the page anew
    phone.get_by_role("button", name="Ask my teacher about this").last.click()
    expect(phone.get_by_text("Your teacher sees this question.")).to_be_visible()
    expect(teacher.get_by_role("heading", name="They ask you (1)")).to_be_visible()  # it came by itself
    teacher.locator(".hands h3 a").click()
    teacher.get_by_label("Your note").fill("Germany.")
    teacher.get_by_role("button", name="Save the note").click()
    teacher.wait_for_url(where)
    phone.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # or after 20 s
    expect(phone.get_by_role("status").filter(has_text="Your teacher has written about")).to_be_attached()
    expect(phone.locator(".teacher-note")).to_contain_text("Germany.")
    phone.locator(".note h3 a").first.click()
    expect(phone.locator("#passage")).to_be_visible()
    phone.get_by_role("link", name="Back to the answer").click()
    teacher.get_by_role("button", name="Pause the class").click()
    send(phone, "And then?")
    expect(phone.get_by_role("alert")).to_contain_text("Your teacher has paused the class")
    expect(phone.get_by_label("Your question")).to_have_value("And then?")
    teacher.get_by_role("button", name="Let the class go on").click()
    expect(teacher.get_by_role("button", name="Pause the class")).to_be_visible()
    phone.get_by_role("button", name="Try again").click()
    expect(phone.get_by_role("heading", name="And then?")).to_be_visible()
    expect(phone.get_by_label("Your question")).to_have_value("")
    expect(phone.get_by_role("alert")).to_be_empty()
    desk.errors[:] = [one for one in desk.errors if "422" not in one]  # that it is paused
    assert len(phone.context.cookies()) == 1


def make_found(pupil: Pupil, message: Message) -> None:
    """Something that was found and not seen, something that was seen, and something that was erased."""
    row = {"school": message.school, "pupil": pupil, "message": message, "words": "acid", "entry": "acid"}
    Flag.objects.create(**row, category="self-harm")
    Flag.objects.create(**row, category="personal-data", seen_at=timezone.now())
    trace = {"category": "abuse", "nickname": "Blue Heron", "raised_at": timezone.now()}
    Flag.objects.create(school=message.school, class_link=pupil.class_link, **trace)


def test_what_was_found_comes_first_on_a_phone(desk: Desk, people: Cast) -> None:
    chatbot = make_helper(people)
    link = open_class(people.alice, chatbot)
    pupil = join(link)
    make_found(pupil, make_asked(pupil, chatbot))
    teacher = desk.sign_in(people.alice, viewport=PHONE)
    teacher.goto(f"/classes/{link.pk}/")
    tops = [
        teacher.locator(one).first.evaluate("e => e.getBoundingClientRect().top") for one in (".hands", ".the-code")
    ]
    assert tops == sorted(tops)
    last = teacher.locator(".pupils tbody td").last
    assert last.evaluate("e => e.getBoundingClientRect().right <= document.documentElement.clientWidth")
    teacher.get_by_role("button", name=re.compile("Mark as seen.*Self-harm")).click()
    teacher.get_by_text("Seen (2)").click()
    teacher.get_by_role("button", name=re.compile("Not seen.*Self-harm")).click()
    expect(teacher.get_by_role("heading", name="Concerns (1)")).to_be_visible()


def test_axe_finds_nothing(desk: Desk, people: Cast) -> None:
    chatbot, other = make_helper(people), make_chatbot(people.alice, name="Other", description="Of rivers.")
    link = open_class(people.alice, chatbot, other)
    closed = open_class(people.alice, chatbot, name="Old", paused_at="2026-01-01T00:00Z")
    pupil = join(link)
    message = make_asked(pupil, chatbot)
    hands.raise_hand(message, is_raised=True)
    make_found(pupil, message)
    own = f"/classes/{link.pk}/"
    teacher = ["/classes/", "/classes/new/", own, f"/classes/{closed.pk}/"]
    teacher += [f"{own}{name}/" for name in ("edit", "sheet", "large", "close", "code", "erase")]
    teacher += [f"{own}{name}/" for name in ("transcripts", "summary")]
    teacher += [f"/classes/pupils/{pupil.pk}/erase/", f"/classes/answers/{message.pk}/"]
    teacher += [f"/classes/answers/{message.pk}/correct/", f"{own}transcripts/?pupil={pupil.pk}"]
    found = faults_of_all(desk.sign_in(people.alice), teacher)
    found += faults_of_all(desk.sign_in(people.carol), ["/schools/classes/", CONCERN])
    nobody = desk.open()
    found += faults_of_all(nobody, ["/c/", f"/c/{link.code}", f"/c/{closed.code}", "/c/AAAAAAAA"])
    phone = desk.open(viewport=PHONE)
    phone.goto(f"/c/{link.code}")
    phone.locator(".nicknames button").first.click()
    phone.get_by_role("link", name="Start asking").click()
    phone.get_by_role("link", name=chatbot.name).click()
    ask(phone, QUESTION)
    conversation = phone.url
    phone.locator(".note h3 a").first.click()
    pages = [f"/c/{link.code}/{name}" for name in ("room", "leave", "my-data")]
    found += faults_of_all(phone, [conversation, phone.url, *pages])
    desk.errors.clear()  # the 403 of what is paused, and the 404
    assert not found, "\n".join(found)
