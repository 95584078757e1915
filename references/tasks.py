"""Celery tasks of sources beyond the school. Each is safe to run twice."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from references.approved.queue import list_pages, note_arrival, queue_school, schools_to_warm, wake_page_reader
from references.approved.reading import read_wanted
from schools.models import School


@shared_task
def read_wanted_pages(key: str) -> None:
    """Read some of the wanted pages of one school, then queue behind the tasks of others for the rest."""
    school = School.objects.filter(pk=UUID(key)).first()
    note_arrival(UUID(key))
    if school and read_wanted(list_pages(school)):
        wake_page_reader(school.pk)


@shared_task
def warm_approved_pages() -> None:
    """Runs every night: one task for each school, so that none waits for the sites of another."""
    for school in schools_to_warm():
        queue_school(school)
