"""A study plan made by a real worker: killed while it works, the next one goes on (G1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from pytest_django import Settings

from learning.models import PlanStatus, StudyPlan
from learning.planning.services import create_plan
from learning.tasks import queue_unfinished_plans
from tests.factories import Cast, cast, personal_document
from tests.learning.plans import RIVERS
from tests.running import wait_for
from tests.workers import Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs("learning")]


@pytest.fixture
def people(settings: Settings) -> Cast:
    settings.MEDIA_ROOT = Path(django_settings.DATA_DIR) / "files"
    return cast()


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker(app="tests.operations.mortal_worker", more={"LECTERN_RETRY_SECONDS": "0", "DIES_IN_PLAN": "2"})
    yield worker
    worker.stop()


def test_killed_while_it_works_the_next_one_goes_on(people: Cast, worker: Worker) -> None:
    document = personal_document(people.alice, RIVERS, "rivers.md")
    plan = create_plan(member=people.alice, title="Rivers", documents=[document.pk])

    def status() -> str:
        return StudyPlan.objects.values_list("status", flat=True).get(pk=plan.pk)

    worker.start()
    worker.wait_for_death()
    assert status() == PlanStatus.WORKING
    before = set(plan.concepts.values_list("pk", "questions_at"))
    assert len([made for _, made in before if made]) == 2
    worker.more["DIES_IN_PLAN"] = "0"
    worker.start()
    queue_unfinished_plans()
    wait_for(lambda: status() == PlanStatus.READY, 120)
    after = dict(plan.concepts.values_list("pk", "questions_at"))
    assert set(after) == {key for key, _ in before} and all(after.values())
    assert all(after[key] == made for key, made in before if made)
