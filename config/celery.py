"""The Celery application. Its tasks parse, embed and clean up; they never answer a question."""

import os
from typing import Any

from celery import Celery
from celery.signals import import_modules

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("lectern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@import_modules.connect(sender=app)  # after Celery's own receiver, which starts Django
def _set_schedule(**_: Any) -> None:
    from config.background_tasks import make_schedule

    app.conf.beat_schedule = make_schedule()
