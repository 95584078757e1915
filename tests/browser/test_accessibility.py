"""axe finds nothing on any page, light or dark, wide or narrow, and no page scrolls sideways."""

import re
from collections.abc import Iterable
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from accounts import invitations
from chatbots.conversations import deletion
from chatbots.models import Chatbot, ChatbotRole
from chatbots.sharing.colleagues import share_with
from chatbots.sharing.listing import FEW
from evaluation.models import TestQuestion
from evaluation.test_questions import run_evaluation
from knowledge.models import PersonalDocument
from schools import services
from schools.models import Role, User
from tests.browser.conftest import Desk
from tests.depth import DEEP
from tests.factories import PASSWORD, Cast, make_chatbot, make_message, make_token, personal_document, school_document
from tests.references.sites import make_topic

pytestmark = pytest.mark.browser

Look = tuple[Literal["dark", "light"], int]
"""Colour scheme and width in pixels."""

LOOKS: tuple[Look, ...] = (("dark", 1280), ("light", 390), ("light", 1280), ("dark", 390))

AUDIT = """axe.run({resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then(({violations}) =>
  violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`))"""

FADED = """Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition)
  .map((one) => one.finished)).then(() => {}, () => {})"""
"""When the colours of Django admin have changed with the scheme; they fade."""

USE = re.compile("/documents/[^/]+/chatbots/$|/library/[^/]+/usage/$")

OPERATOR = ["/installation/", "/admin/", "/api/v1/docs/", "/accounts/password/change/", "/nowhere/"]

axe = Axe()


def pages(people: Cast) -> tuple[list[str], list[str], list[str]]:
    """Addresses for the teacher, for the admin, and for the anonymous."""
    personal, library = personal_document(people.alice), school_document(people.carol, subject="Science")
    personal_document(people.alice, b"%PDF-1.7 nothing", "broken.pdf")
    personal_document(people.alice, "# Wait\n\nNot yet read.\n", "wait.md", indexed=False)
    PersonalDocument.objects.filter(title="wait").update(status="indexing", stage="reading")
    chatbot = make_chatbot(people.alice, personal=[personal], school=[library], description="For year 9.")
    message = make_message(people.alice, chatbot, "How strong may hydrochloric acid be?")
    make_message(people.alice, chatbot, "Who won the football world cup in 1954?", chat=message.chat)
    deleted = make_message(people.alice, chatbot, "What was that?")
    deletion.delete_chat(deleted.chat)
    source = message.sources.first()
    assert source
    empty = make_chatbot(people.alice, name="Empty", is_template=True)
    share_with(chatbot=chatbot, owner=people.alice, colleague=people.bob, role=ChatbotRole.EDITOR)
    for number in range(FEW):
        make_chatbot(people.alice, name=f"Archived {number}", archived_at=timezone.now())
    old = make_chatbot(people.alice, name="Old", deleted_at=timezone.now())
    make_token(people.alice, days=30)
    for question, refused in (("How strong may the acid be?", False), ("Who won in 1954?", True)):
        expected = {} if refused else {"kind": "personal", "document_id": personal.pk, "document_title": "acids"}
        pinned = TestQuestion.objects.create(
            school=people.alice.school, chatbot=chatbot, question=question, is_refused=refused, **expected
        )
        run_evaluation(chatbot)
        Chatbot.objects.filter(pk=chatbot.pk).update(places=4)
        chatbot.refresh_from_db()
    teacher = [
        "/chatbots/",
        "/chatbots/start/",
        "/chatbots/new/",
        "/schools/tokens/",
        "/schools/tokens/add/",
        f"/chatbots/{chatbot.pk}/",
        f"/chatbots/{chatbot.pk}/edit/",
        f"/chatbots/{chatbot.pk}/share/",
        f"/chatbots/{empty.pk}/share/",
        f"/chatbots/{old.pk}/erase/",
        "/chatbots/?words=archived",
        "/chatbots/templates/",
        "/chatbots/unanswered/",
        "/chatbots/usage/",
        f"/chatbots/unanswered/?chatbot={empty.pk}",
        f"/chatbots/{chatbot.pk}/checks/",
        f"/chatbots/{empty.pk}/checks/",
        f"/chatbots/{chatbot.pk}/checks/add/",
        f"/checks/{pinned.pk}/edit/",
        f"/checks/{pinned.pk}/delete/",
        f"/messages/{message.pk}/pin/",
        f"/chats/{message.chat_id}/",
        f"/chats/{message.chat_id}/rename/",
        f"/chats/{message.chat_id}/print/",
        "/chats/",
        "/chats/?words=acid",
        "/chats/?words=nothing",
        "/chats/deleted/",
        "/questions/kept/",
        f"/chats/{deleted.chat_id}/erase/",
        f"/sources/{source.pk}/",
        "/documents/",
        f"/documents/{personal.pk}/",
        f"/documents/{personal.pk}/replace/",
        f"/documents/{personal.pk}/rename/",
        f"/documents/{personal.pk}/delete/",
        "/library/",
        f"/library/{library.pk}/",
        "/accounts/password/change/",
        "/api/v1/docs/",
        "/nowhere/",
    ]
    topic = make_topic(people.carol.school, "https://page.example/", "https://other.example/", read=False)
    for one, state in zip(topic.pages.all(), ("changed", "failed"), strict=True):
        one.state, one.reason, one.approved_text, one.seen_text = state, "It is gone.", "The old text.", "A new text."
        one.read_at = one.checked_at = timezone.now()
        one.save()
    admin = [
        "/chatbots/",
        "/references/",
        "/references/topics/",
        "/references/topics/add/",
        "/references/topics/import/",
        f"/references/topics/{topic.pk}/",
        f"/references/topics/{topic.pk}/edit/",
        f"/references/topics/{topic.pk}/delete/",
        "/documents/",
        "/library/",
        "/library/upload/",
        f"/library/{library.pk}/",
        f"/library/{library.pk}/edit/",
        f"/library/{library.pk}/replace/",
        f"/library/{library.pk}/withdraw/",
        f"/library/{library.pk}/delete/",
        "/schools/members/",
        "/schools/members/?words=nobody",
        "/schools/gaps/",
        "/schools/usage/",
        "/schools/audit/",
        "/schools/audit/?words=nobody&since=x",
        "/schools/questions/",
        "/schools/questions/?words=acid&since=x",
        "/schools/questions/?words=nothing",
        "/schools/members/add/",
        f"/schools/members/{people.bob.user_id}/role/",
        f"/schools/members/{people.bob.user_id}/remove/",
    ]
    newcomer = services.invite(school=people.carol.school, email="n@e.example", name="New", role=Role.TEACHER)
    anonymous = ["/accounts/login/", "/accounts/password/reset/", "/accounts/signup/", invitations.link(newcomer)]
    return teacher, admin, [*anonymous, "/accounts/invitation/1/over/"]


@pytest.mark.parametrize("whose", ["teacher's", "teacher's others", "admin's", "anonymous"])
def test_every_page(desk: Desk, people: Cast, whose: str) -> None:
    teacher, admin, anonymous = pages(people)
    addresses = {
        "teacher's": teacher[::2],
        "teacher's others": teacher[1::2],
        "admin's": admin,
        "anonymous": anonymous,
    }[whose]
    member = {"admin's": people.carol, "anonymous": None}.get(whose, people.alice)
    found = faults_of_all(desk.sign_in(member) if member else desk.open(), addresses)
    desk.errors.clear()  # the browser logs the 404 that was asked for
    assert not found, "\n".join(found)


def test_pages_of_the_operator_who_has_no_school(desk: Desk, people: Cast) -> None:
    operator = User.objects.create_superuser("operator@e.example", PASSWORD, name="Operator")
    page = desk.open()
    page.goto("/accounts/login/")
    page.fill("[name=login]", operator.email)
    page.fill("[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for_url("**/installation/")
    found = faults_of_all(page, OPERATOR)
    desk.errors.clear()  # the 404
    assert not found, "\n".join(found)


def looks_at(number: int) -> tuple[Look, ...]:
    """The looks of the page of that number: one of the first two by turns, and all in `make test-all`."""
    return LOOKS if DEEP else (LOOKS[number % 2],)


def faults_of_all(page: Page, addresses: Iterable[str]) -> list[str]:
    """The faults of all pages, with their addresses."""
    found: list[str] = []
    for number, address in enumerate(addresses):
        page.goto(address)
        page.evaluate(axe.axe_script)
        for scheme, width in looks_at(number):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            found += [f"{address}, {scheme}: {fault}" for fault in faults(page, width)]
    return found


def faults(page: Page, width: int) -> list[str]:
    """What axe finds on the page as it is shown now, and whether it is wider than it may be."""
    expect(page.locator(".htmx-request")).to_have_count(0)  # what the page loads by itself is there
    page.evaluate(FADED)
    found: list[str] = page.evaluate(AUDIT)
    wide = page.evaluate("document.documentElement.scrollWidth")
    return [*found, f"is {wide} pixels wide"] if wide > width else found


def test_nothing_moves_when_the_use_of_a_document_comes(desk: Desk, people: Cast) -> None:
    """Whoever is about to press a button in a row presses that one."""
    personal_document(people.alice)
    school_document(people.carol)
    nothing_moves(desk.sign_in(people.alice), "/documents/")
    nothing_moves(desk.sign_in(people.carol), "/library/")


def nothing_moves(page: Page, address: str) -> None:
    waiting: list[Route] = []
    page.route(USE, lambda route: waiting.append(route))
    with page.expect_request(USE):
        page.goto(address)
        page.locator(".row").scroll_into_view_if_needed()
    row, use = page.locator(".row"), page.locator(".row .usage")
    before = row.bounding_box()
    expect(use).to_be_empty()
    waiting[0].continue_()
    expect(use).not_to_be_empty()
    assert row.bounding_box() == before
