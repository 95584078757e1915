"""The Celery application. Its tasks parse, embed and clean up; they never answer a question."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("lectern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
