"""Celery tasks of study plans. Each is safe to run twice."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from engines.llm import get_llm
from learning.models import Concept
from learning.planning.making import is_due, make_concept_questions, make_next_plan
from learning.planning.services import wake_planner


@shared_task
def make_plans() -> None:
    """Work on a plan that waits, and wake the worker for the next turn, behind what else waits for it."""
    if make_next_plan(seconds=20) and is_due():
        wake_planner()


@shared_task
def make_more_questions(key: str) -> None:
    concepts = Concept.objects.active().select_related("plan__school")
    if concept := concepts.filter(pk=UUID(key)).first():
        llm = get_llm()
        make_concept_questions(concept, llm if llm.generative else None, is_asked_for=True)


@shared_task
def queue_unfinished_plans() -> None:
    """Wake the worker for plans that the database holds, such as after a crash or an outage of the broker."""
    if is_due():
        wake_planner()
