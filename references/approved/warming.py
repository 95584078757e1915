"""Read the approved pages again, so that questions find them in the cache and changes are noticed."""

from __future__ import annotations

from django.db.models import F, QuerySet

from references.models import ApprovedPage, ReferenceSettings
from references.outside_calls import may_call_outside
from schools.models import School


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
