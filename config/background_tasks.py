"""When Celery beat wakes which task, and by which queue a task reaches a worker.

Tasks of the core stand here; those of plug-ins are declared by each.
"""

from __future__ import annotations

from typing import Any

from celery.schedules import crontab

from plugins import Task, find_plugins

# One worker reads documents and makes plans, for up to half an hour each. Another has mails and everything short.
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"documents": {}, "mail": {}, "celery": {}}
CELERY_TASK_ROUTES = ["config.background_tasks.find_route"]

_TASKS = {
    "corpus.tasks.queue_unfinished": Task(every=15),
    "corpus.tasks.sweep_files": Task(every=crontab(hour="3", minute="17")),
    "corpus.tasks.index_large_owners": Task(every=crontab(hour="2", minute="23"), queue="documents"),
    "corpus.tasks.index_documents": Task(queue="documents"),
    "corpus.tasks.reembed": Task(queue="documents"),
    "chatbots.tasks.interrupt_abandoned_answers": Task(every=20),
    "privacy.tasks.erase_old": Task(every=crontab(hour="3", minute="41")),
}


def find_tasks() -> dict[str, Task]:
    """Return the tasks of the core and of the plug-ins that are on."""
    found = dict(_TASKS)
    for plugin in find_plugins():
        found |= plugin.tasks
    return found


def make_schedule() -> dict[str, dict[str, Any]]:
    """Return the schedule of Celery beat. The next message of a sweep is as good as this one: what no worker took in
    time is dropped."""
    return {
        name: {
            "task": name,
            "schedule": task.every,
            "options": {"expires": task.every if isinstance(task.every, int) else 86400},
        }
        for name, task in find_tasks().items()
        if task.every
    }


def find_route(name: str, *_: object, **__: object) -> dict[str, str] | None:
    """Return the queue of a task, as a router of Celery."""
    task = find_tasks().get(name)
    return {"queue": task.queue} if task else None
