"""Celery tasks of sources beyond the school. Each is safe to run twice."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from references.approved.queue import queue_school
from references.approved.reading import read_pages
from references.approved.warming import pages_of, schools_to_warm
from references.models import ApprovedPage
from schools.models import School


@shared_task
def read_approved_pages(keys: list[str]) -> None:
    """Read these pages: somebody has just added them, or wants to know how they are now."""
    read_pages(ApprovedPage.objects.filter(pk__in=[UUID(key) for key in keys]))


@shared_task
def warm_school(key: str) -> None:
    """Read all pages of one school."""
    if school := School.objects.filter(pk=key).first():
        read_pages(pages_of(school))


@shared_task
def warm_approved_pages() -> None:
    """Runs every night: one task for each school, so that none waits for the sites of another."""
    for school in schools_to_warm():
        queue_school(school)
