"""Wake the worker for plans. The rows say what there is to do; a lost message only costs time (ADR 7)."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone

from corpus.wake_worker import send_task
from learning.models import PlanStatus, StudyPlan

logger = logging.getLogger(__name__)


def queue_plan(plan: StudyPlan) -> None:
    """Have a worker make what a plan lacks, unless it waits or is being made already; then the worker sees it."""
    rows = StudyPlan.objects.filter(pk=plan.pk).exclude(status__in=(PlanStatus.QUEUED, PlanStatus.WORKING))
    changes = {"attempts": 0, "failure": "", "progress_since": None, "updated_at": timezone.now()}
    if rows.update(status=PlanStatus.QUEUED, **changes):
        wake_planner()


def wake_planner() -> None:
    """Have a worker make the plans that wait, after the transaction. Never raises."""
    transaction.on_commit(_send)


def _send() -> None:
    if not send_task("learning.tasks.make_plans"):
        logger.warning("The broker is away: study plans are made when it is back.")
