"""Which pages are read again, and when: the worker reads them.

The rows say which ones (`wanted_at`); a message that is lost only costs time.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.core.cache import cache
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from corpus.wake_worker import send_task
from references.models import ApprovedPage, ReferenceSettings
from references.outside_calls import may_call_outside
from schools.models import School


def queue_pages(pages: Iterable[UUID]) -> None:
    """Read these pages in the background, after the transaction."""
    wanted = ApprovedPage.objects.filter(pk__in=list(pages))
    wanted.update(wanted_at=timezone.now())
    for school in wanted.order_by().values_list("school", flat=True).distinct():
        wake_page_reader(school)


def queue_school(school: School) -> int:
    """Read all pages of a school in the background, after the transaction, and return how many are waiting.

    While some are still waiting, no others are added: asking twice reads nothing twice.
    """
    pages = list_pages(school)
    if not pages.filter(wanted_at__isnull=False).exists():
        pages.order_by().update(wanted_at=timezone.now())
    if waiting := pages.filter(wanted_at__isnull=False).count():
        wake_page_reader(school.pk)
    return waiting


def wake_page_reader(school: UUID) -> None:
    """Send one message for a school, after the transaction, unless one is waiting in the queue."""
    transaction.on_commit(lambda: _send(str(school)))


def note_arrival(school: UUID) -> None:
    """From now on another message may be sent."""
    cache.delete(_queued(school))


def list_pages(school: School) -> QuerySet[ApprovedPage]:
    """All pages of a school, those first that were tried longest ago. None if it calls nothing outside."""
    pages = ApprovedPage.objects.for_school(school).select_related("topic")
    if not may_call_outside(school):
        return pages.none()
    return pages.order_by(F("checked_at").asc(nulls_first=True), "pk")


def schools_to_warm() -> list[School]:
    """The schools whose chatbots may use approved pages."""
    allowed = ReferenceSettings.objects.filter(allows_approved=True).values("school")
    return [school for school in School.objects.filter(pk__in=allowed) if list_pages(school).exists()]


def _send(school: str) -> None:
    """Never raises, and waits at most two seconds."""
    if not cache.add(_queued(school), True, 600):  # it may be lost: then another one is sent
        return
    if not send_task("references.tasks.read_wanted_pages", school):
        cache.delete(_queued(school))


def _queued(school: UUID | str) -> str:
    return f"approved-pages-queued:{school}"
