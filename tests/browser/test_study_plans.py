"""Study plans in a browser: axe on every page, a plan that appears while it is made, practice by keyboard alone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from chatbots.models import Participant
from learning.models import Attempt, ConceptProgress, PracticeSession, Question, StudyPlan
from learning.practice.spaced_repetition import new_card
from tests.browser.conftest import Desk
from tests.browser.test_accessibility import faults, looks_at
from tests.factories import Cast, personal_document, school_document
from tests.learning.plans import add, link, make_plan
from tests.learning.test_pages_questions import BY_KIND, make_question

pytestmark = pytest.mark.browser

NAMES = (
    "Erosion",
    "Abrasion",
    "Hydraulic action",
    "Attrition",
    "Solution and corrosion of limestone",
    "Transport",
    "Traction",
    "Saltation",
    "Suspension",
    "Deposition",
    "Meander",
    "Oxbow lake",
)
EDGES = ((0, 1), (0, 2), (0, 3), (0, 5), (5, 6), (5, 7), (5, 8), (0, 9), (5, 9), (9, 10), (0, 10), (10, 11), (1, 11))

axe = Axe()


def river_plan(people: Cast) -> StudyPlan:
    """Twelve concepts in five states, with a question of each kind."""
    plan = make_plan(people.alice, *NAMES, title="Rivers", topic="The shapes they make", dropped={"malformed": 2})
    concepts = list(plan.concepts.order_by("position"))
    for first, then in EDGES:
        link(concepts[then], concepts[first])
    now, participant = timezone.now(), Participant.objects.of(people.alice)
    for concept, attempts, right, days in zip(concepts, (4, 4, 1), (4, 1, 1), (3, 3, -1), strict=False):
        ConceptProgress.objects.create(
            school_id=plan.school_id,
            concept=concept,
            participant=participant,
            card=new_card(now),
            due_at=now + timedelta(days=days),
            attempts=attempts,
            right=right,
        )
    for kind in BY_KIND:
        make_question(plan, kind, review="approved" if kind == "short" else "unreviewed")
    return plan


def make_session(plan: StudyPlan, people: Cast, **fields: Any) -> PracticeSession:
    participant = Participant.objects.of(people.alice)
    return PracticeSession.objects.create(school_id=plan.school_id, plan=plan, participant=participant, **fields)


def addresses(plan: StudyPlan, people: Cast) -> list[str]:
    """Every page of study plans in each of its states."""
    personal_document(people.alice)
    school_document(people.carol, subject="Science")
    concept = plan.concepts.order_by("position")[0]
    done = make_session(plan, people, finished_at=timezone.now())
    pages = ["", "new/", f"concepts/{concept.pk}/", f"sources/{concept.sources.get().pk}/"]
    of_plan = ("", "settings/", "delete/", "concepts/add/", "questions/", "questions/?state=outdated", "learn/")
    pages += [f"{plan.pk}/{page}" for page in (*of_plan, "worksheet/")]
    for question in concept.questions.all():
        pages.append(f"questions/{question.pk}/")
        pages.append(f"practice/{make_session(plan, people, question=question).pk}/")
    for kind, verdict in (("single", "right"), ("several", "wrong"), ("short", "unsure")):
        attempt = Attempt.objects.create(
            school_id=plan.school_id,
            question=concept.questions.get(kind=kind),
            participant=done.participant,
            session=done,
            given={"single": 0, "several": [1, 2], "short": "Sand"}[kind],
            verdict=verdict,
            share=0.5,
            feedback="Read on [1].",
            cited=[1],
        )
        pages.append(f"practice/{done.pk}/?attempt={attempt.pk}")
    pages.append(f"practice/{done.pk}/")
    failed = make_plan(people.alice, title="Failed", status="failed", failure="Nothing can be read.")
    working = make_plan(people.alice, title="Working", status="working", stage="sources", progress_total=3)
    stopped = make_plan(people.alice, title="Stopped", status="stopped")
    stopped.concepts.all().delete()
    return ["/plans/" + page for page in (*pages, *(f"{one.pk}/" for one in (failed, working, stopped)))]


def test_axe_finds_nothing(desk: Desk, people: Cast) -> None:
    page, found = desk.sign_in(people.alice), []
    page.goto("/plans/")
    expect(page.get_by_role("heading", name="No study plan yet")).to_be_visible()
    for number, address in enumerate(addresses(river_plan(people), people)):
        response = page.goto(address)
        assert response and response.ok, address
        page.evaluate(axe.axe_script)
        for scheme, width in looks_at(number):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            found += [f"{address}, {scheme}: {fault}" for fault in faults(page, width)]
    assert not found, "\n".join(found)


def test_concepts_appear_while_the_plan_is_made(desk: Desk, people: Cast) -> None:
    plan = make_plan(people.alice, "Erosion", title="Rivers", status="working", stage="concepts")
    page = desk.sign_in(people.alice)
    page.goto(f"/plans/{plan.pk}/")
    expect(page.get_by_role("status")).to_contain_text("Finding the concepts")
    add(plan, "Abrasion")
    StudyPlan.objects.filter(pk=plan.pk).update(stage="sources", progress_done=1, progress_total=2)
    expect(page.locator("#concept-list a")).to_have_text(["Erosion", "Abrasion"])
    expect(page.get_by_role("status")).to_contain_text("1 of 2")
    page.locator("#concept-list a").first.focus()
    StudyPlan.objects.filter(pk=plan.pk).update(progress_done=2)
    expect(page.get_by_role("status")).to_contain_text("2 of 2")
    expect(page.locator("#concept-list a").first).to_be_focused()
    StudyPlan.objects.filter(pk=plan.pk).update(status="ready")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.get_by_role("heading", name="2 concepts")).to_be_visible()


def test_narrow_screens_have_the_list_and_wide_ones_the_picture(desk: Desk, people: Cast) -> None:
    plan = river_plan(people)
    page = desk.sign_in(people.alice, viewport={"width": 1280, "height": 900})
    page.goto(f"/plans/{plan.pk}/")
    node = page.get_by_role("link", name="Abrasion, weak, after Erosion")
    expect(node).to_be_visible()
    node.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Abrasion", level=1)).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"/plans/{plan.pk}/")
    expect(page.locator(".graph")).to_be_hidden()
    expect(page.locator("#concept-list")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_session_by_keyboard_with_and_without_scripts(desk: Desk, people: Cast, scripts: bool) -> None:
    plan = make_plan(people.alice, "Erosion", title="Rivers")
    Question.objects.all().delete()
    make_question(plan, "single")
    page = desk.sign_in(people.alice, java_script_enabled=scripts)
    page.goto(f"/plans/{plan.pk}/learn/")
    press(page, "Start")
    page.get_by_label("Stones").focus()
    page.keyboard.press("Space")
    press(page, "Answer")
    verdict = page.get_by_role("heading", name="Right", level=1)
    expect(verdict).to_be_visible()
    expect(verdict).to_be_focused()
    expect(page.get_by_role("link", name="Source 1, personal: Rivers").first).to_be_visible()
    page.get_by_role("link", name="Next question").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 1 answer right")).to_be_visible()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).focus()
    page.keyboard.press("Enter")


def test_an_edit_is_undone_from_its_message(desk: Desk, people: Cast) -> None:
    plan = river_plan(people)
    page = desk.sign_in(people.alice)
    page.goto(f"/plans/concepts/{plan.concepts.get(name='Meander').pk}/")
    page.get_by_text("Remove it").click()
    page.get_by_role("button", name="Remove “Meander”").click()
    expect(page.get_by_role("heading", name="11 concepts")).to_be_visible()
    page.locator("#messages").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="12 concepts")).to_be_visible()


def test_long_lists_of_documents_are_searched(desk: Desk, people: Cast) -> None:
    for number in range(9):
        personal_document(people.alice, f"# Sheet {number}\n\nThis is sheet {number}.\n", f"sheet-{number}.md")
    page = desk.sign_in(people.alice)
    page.goto("/plans/new/")
    page.get_by_label("sheet-7").check()
    page.get_by_label("Find in personal documents").fill("sheet-3")
    expect(page.get_by_label("sheet-3")).to_be_visible()
    expect(page.get_by_label("sheet-7")).to_be_visible()  # what is chosen stays in view
    expect(page.get_by_label("sheet-5")).to_be_hidden()
