"""Coming from a learning platform in a real browser, for which the platform and Lectern are two sites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, Request, expect
from pytest_django import Settings

from classrooms.models import ClassLink, Pupil
from learning.models import StudyPlan
from lti.models import Platform, ResourceLink, TeacherIdentity
from tests.browser.conftest import Desk
from tests.browser.test_accessibility import faults_of_all
from tests.classrooms.classes import decide, open_class
from tests.factories import PASSWORD, Cast
from tests.learning.plans import add_questions, make_plan
from tests.lti.simulator import DEEP_LINKING, LTI, TEACHER, Simulator, make_platform, simulator

pytestmark = pytest.mark.browser


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """By name, so that the platform, at 127.0.0.1, is another site."""
    return replace(desk, address=desk.address.replace("127.0.0.1", "localhost"))


@pytest.fixture
def sim(settings: Settings) -> Iterator[Simulator]:
    settings.LECTERN_FETCH_LOOPBACK = True
    cache.clear()
    with simulator() as found:
        yield found


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice, "Acid", "Base", title="Acids")


@pytest.fixture
def platform(people: Cast, desk: Desk, sim: Simulator) -> Platform:
    platform = make_platform(people.alice.school, sim.url)
    sim.know(platform, desk.address)
    return platform


def connect(page: Page, people: Cast) -> None:
    """What a teacher does the first time."""
    page.get_by_label("E-mail address").fill(people.alice.user.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Connect", exact=True).click()


def test_a_pupil_and_a_teacher(desk: Desk, people: Cast, sim: Simulator, platform: Platform, plan: StudyPlan) -> None:
    """Both come by the platform’s form, with which the browser sends no cookie of ours."""
    assert plan.tutor
    class_link = open_class(people.alice, plan.tutor)
    link = ResourceLink.objects.create(
        school=platform.school, platform=platform, class_link=class_link, chatbot=plan.tutor, sends_grades=True
    )
    sim.opens("7", link=link.pk)
    pupil = desk.open()
    pupil.goto(f"{sim.url}/start")
    pupil.wait_for_url(re.compile(f"{desk.address}/c/.*/practice"))
    expect(pupil.locator(".nickname")).to_have_text(Pupil.objects.get().nickname)
    by_name = {one["name"]: one for one in pupil.context.cookies()}
    ours = {name for name, one in by_name.items() if one["sameSite"] == "Lax" and one["httpOnly"]}
    assert ours == set(by_name) and len(by_name) == 2  # of the launch, and of the class
    sent: list[Request] = []
    pupil.on("request", lambda one: sent.append(one) if "/lti/" in one.url else None)
    pupil.goto(f"{sim.url}/start")
    pupil.wait_for_url(re.compile(f"{desk.address}/c/.*/practice"))
    assert Pupil.objects.count() == 1
    has_cookie = {urlsplit(one.url).path.rpartition("/")[2]: "cookie" in one.all_headers() for one in sent}
    assert has_cookie == {"login": False, "launch": False, "enter": True}  # the browser had one all the time

    sim.opens("11", TEACHER, link=link.pk)
    teacher = desk.open()
    teacher.goto(f"{sim.url}/start")
    connect(teacher, people)
    teacher.wait_for_url(f"{desk.address}/classes/{class_link.pk}/")
    expect(teacher.get_by_text("grades for practice are sent")).to_be_visible()
    again = desk.open()
    again.goto(f"{sim.url}/start")
    again.wait_for_url(f"{desk.address}/classes/{class_link.pk}/")
    again.goto("/accounts/sso-accounts/")
    expect(again.get_by_role("heading", name="Moodle")).to_be_visible()


def test_moodles_dialog(desk: Desk, people: Cast, sim: Simulator, platform: Platform, plan: StudyPlan) -> None:
    """A frame of the platform offers a window, and takes over what was chosen there."""
    TeacherIdentity.objects.create(school=platform.school, provider=platform, user=people.alice.user, subject="11")
    decide(platform.school, goes_without_lead=True)
    add_questions(plan)
    sim.chooses()
    course = desk.open()
    course.goto(f"{sim.url}/course")
    frame = course.frame_locator("iframe")
    with course.expect_popup() as opened:
        frame.get_by_role("link", name="Open Lectern").click()
    window = opened.value
    window.get_by_label("Rivers (study plan: its tutor and practice)").check()
    window.get_by_label("Send grades for practice").check()
    window.get_by_role("button", name="Put it into the course").click()
    expect(window.get_by_role("heading", name="Chosen")).to_be_visible()
    frame.get_by_role("button", name="Take over what I chose").click()
    expect(frame.get_by_role("heading", name="Put into the course")).to_be_visible()
    (claims,) = sim.returned
    assert claims[f"{LTI}message_type"] == "LtiDeepLinkingResponse"
    (item,) = claims[f"{DEEP_LINKING}content_items"]
    assert item["custom"]["lectern_link"] == str(ResourceLink.objects.get().pk)
    assert ClassLink.objects.get().name == "Geography 9b"


def test_axe_finds_nothing(desk: Desk, people: Cast, sim: Simulator, platform: Platform, plan: StudyPlan) -> None:
    sim.opens("11", TEACHER, resource="new")
    teacher = desk.open()
    teacher.goto(f"{sim.url}/start")
    teacher.get_by_label("E-mail address").fill(people.alice.user.email)
    teacher.get_by_label("Password", exact=True).fill(PASSWORD)
    teacher.get_by_role("button", name="Sign in", exact=True).click()
    expect(teacher.get_by_role("button", name="Connect", exact=True)).to_be_visible()
    pages = [teacher.url]
    found = faults_of_all(teacher, pages)
    teacher.get_by_role("button", name="Connect", exact=True).click()
    teacher.wait_for_url(re.compile("/choose/"))
    identity = TeacherIdentity.objects.get()
    own = ["/lti/connections/", f"/lti/connections/{identity.pk}/disconnect/", "/accounts/sso-accounts/"]
    found += faults_of_all(teacher, [teacher.url, *own])
    admin = desk.sign_in(people.carol)
    found += faults_of_all(admin, ["/schools/signing-in/", "/lti/platforms/"])
    nobody = desk.open()
    refused = f"/lti/{platform.pk}/enter?ticket=x"
    found += faults_of_all(nobody, [refused, f"/lti/{platform.pk}/frame?frame=x"])
    desk.errors.clear()  # the 403
    assert not found, "\n".join(found)
