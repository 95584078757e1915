"""A platform of Alice's school, her study plan, and a class with it that an activity opens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings

from classrooms.models import ClassLink
from learning.models import StudyPlan
from lti.models import Platform, ResourceLink, TeacherIdentity
from tests.classrooms.classes import decide, open_class
from tests.factories import Cast
from tests.learning.plans import make_plan
from tests.lti.simulator import Simulator, make_platform, simulator


@pytest.fixture(autouse=True)
def loopback(settings: Settings) -> Iterator[None]:
    settings.LECTERN_FETCH_LOOPBACK = True
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def sim() -> Iterator[Simulator]:
    with simulator() as found:
        yield found


@pytest.fixture
def platform(people: Cast, sim: Simulator) -> Platform:
    decide(people.alice.school, goes_without_lead=True)
    platform = make_platform(people.alice.school, sim.url)
    sim.know(platform)
    return platform


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice, "Acid", "Base")


@pytest.fixture
def class_link(people: Cast, plan: StudyPlan) -> ClassLink:
    assert plan.tutor
    return open_class(people.alice, plan.tutor)


@pytest.fixture
def link(platform: Platform, class_link: ClassLink, plan: StudyPlan) -> ResourceLink:
    """An activity that opens Alice's class, made by deep linking, with grades."""
    return ResourceLink.objects.create(
        school=platform.school, platform=platform, class_link=class_link, chatbot=plan.tutor, sends_grades=True
    )


@pytest.fixture
def connected(platform: Platform, people: Cast) -> TeacherIdentity:
    """Alice, whom the platform knows as 11."""
    return TeacherIdentity.objects.create(
        school=platform.school, provider=platform, user=people.alice.user, subject="11"
    )
