"""Pages that a school has approved, by topic."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class TopicQuerySet(SchoolQuerySet["ApprovedTopic"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id)


class ApprovedTopic(SchoolOwned):
    """A topic whose pages answer a question that has two of its keywords (A1)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    name = models.CharField(max_length=120)
    keywords = ArrayField(models.CharField(max_length=60), default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = TopicQuerySet.as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="approved_topic_school"),
            models.UniqueConstraint(fields=["school", "name"], name="approved_topic_name"),
        ]

    def __str__(self) -> str:
        return self.name


class PageState(models.TextChoices):
    NEW = "new", "Not fetched yet"
    FRESH = "fresh", "Fresh"
    STALE = "stale", "Stale"
    FAILED = "failed", "Failed"
    CHANGED = "changed", "Changed since it was approved"


class ApprovedPage(SchoolOwned):
    """An address of a topic, and what was last read there. The text itself is cached in Redis (A2)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    topic = models.ForeignKey(ApprovedTopic, on_delete=models.CASCADE, related_name="pages", db_constraint=False)
    address = models.CharField(max_length=2000)
    position = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=PageState, default=PageState.NEW)
    reason = models.CharField(max_length=300, blank=True, default="", help_text="why it failed, in words")
    checked_at = models.DateTimeField(null=True, blank=True)
    approved_text = models.TextField(blank=True, default="", help_text="the passage as it was approved")
    approved_hash = models.CharField(max_length=64, blank=True, default="")
    seen_text = models.TextField(blank=True, default="", help_text="the passage as it was last read")
    final_address = models.CharField(max_length=2000, blank=True, default="")

    objects = SchoolQuerySet["ApprovedPage"].as_manager()

    class Meta:
        ordering = ["topic", "position", "id"]
        constraints = [
            SameSchool(field="topic", name="approved_page_topic"),
            models.UniqueConstraint(fields=["topic", "address"], name="approved_page_once"),
            models.CheckConstraint(condition=models.Q(state__in=PageState.values), name="approved_page_state"),
        ]

    def __str__(self) -> str:
        return self.address
