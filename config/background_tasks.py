"""When Celery beat wakes which task, and by which queue a task reaches a worker: settings of Celery."""

from __future__ import annotations

from celery.schedules import crontab

_SCHEDULE = {
    "corpus.tasks.queue_unfinished": 15,
    "learning.tasks.queue_unfinished_plans": 20,
    "corpus.tasks.sweep_files": crontab(hour="3", minute="17"),
    "chatbots.tasks.interrupt_abandoned_answers": 20,
    "classrooms.tasks.mail_new_flags": 30,
    "classrooms.tasks.moderate_new_questions": 20,
    "lti.tasks.send_grades": 10,
    "privacy.tasks.erase_old": crontab(hour="3", minute="41"),
    "references.tasks.warm_approved_pages": crontab(hour="4", minute="23"),
}
# The next message of a sweep is as good as this one: what no worker took in time is dropped.
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": when, "options": {"expires": when if isinstance(when, int) else 86400}}
    for task, when in _SCHEDULE.items()
}
# One worker reads documents and makes plans, for up to half an hour each. Another has mails and everything short.
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"documents": {}, "mail": {}, "celery": {}}
_OF_DOCUMENTS = (
    "corpus.tasks.index_documents",
    "corpus.tasks.reembed",
    "learning.tasks.make_plans",
    "learning.tasks.make_more_questions",
    "references.tasks.read_wanted_pages",
)
CELERY_TASK_ROUTES = {
    "classrooms.tasks.mail_new_flags": {"queue": "mail"},
    **{task: {"queue": "documents"} for task in _OF_DOCUMENTS},
}
