"""The Celery application. Its tasks parse, embed and clean up; they never answer a question."""

import os

from celery import Celery
from celery.signals import import_modules

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("lectern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _set_schedule(**_: object) -> None:
    from config.background_tasks import make_schedule

    app.conf.beat_schedule = make_schedule()


import_modules.connect(_set_schedule, sender=app)  # after Celery's own receiver, which starts Django
