"""The Celery application: parses, embeds and sweeps; it never answers a question."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("lectern")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
