"""Which worker does what: nothing that is short waits behind a document, and no sweep piles up (R2)."""

from __future__ import annotations

import pytest
from celery.schedules import crontab
from django.conf import settings

from config.background_tasks import find_tasks, make_schedule
from config.celery import app
from tests.operations.test_containers import OURS


def get_queue(task: str) -> str:
    return str(app.amqp.router.route({}, task)["queue"].name)


@pytest.mark.needs("classrooms")
def test_mails_and_sweeps_never_wait_behind_a_document() -> None:
    queues = {task: get_queue(task) for task in make_schedule()}
    assert queues.pop("classrooms.tasks.mail_new_flags") == "mail"
    assert queues.pop("corpus.tasks.index_large_owners") == "documents", "which takes minutes"
    assert set(queues.values()) == {"celery"}
    app.loader.import_default_modules()
    assert app.conf.beat_schedule == make_schedule()
    assert set(find_tasks()) <= set(app.tasks), "a name of no task"


def test_the_two_workers_serve_every_queue_once() -> None:
    commands = [OURS[name]["command"] for name in ("worker", "sweeper")]
    served = [command[command.index("--queues") + 1].split(",") for command in commands]
    assert served[0] == ["documents"]
    assert sorted(queue for queues in served for queue in queues) == sorted(settings.CELERY_TASK_QUEUES)


def test_a_sweep_that_no_worker_took_is_dropped_when_the_next_one_comes() -> None:
    for entry in make_schedule().values():
        nightly = isinstance(entry["schedule"], crontab)
        assert entry["options"]["expires"] == (86400 if nightly else entry["schedule"])
