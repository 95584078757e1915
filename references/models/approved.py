"""Pages that a school has approved, by topic."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Self
from urllib.parse import urlsplit

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import M, SchoolQuerySet

KEPT_FOR = timedelta(days=30)
"""How long the text of a page answers without having been read again (A2)."""


def content_hash(text: str) -> str:
    """SHA-256 of a passage, which tells whether a page has changed."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


class ApprovedQuerySet(SchoolQuerySet[M]):
    """Every member may see what their school has approved."""

    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id)


class ApprovedTopic(SchoolOwned):
    """A topic whose pages answer a question that has two of its keywords (A1)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    name = models.CharField(max_length=120)
    keywords = ArrayField(models.CharField(max_length=60), default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ApprovedQuerySet["ApprovedTopic"].as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="approved_topic_school"),
            models.UniqueConstraint(fields=["school", "name"], name="approved_topic_name"),
        ]

    def __str__(self) -> str:
        return self.name


class PageState(models.TextChoices):
    NEW = "new", "Not read yet"
    FRESH = "fresh", "Fresh"
    STALE = "stale", "Stale"
    FAILED = "failed", "Failed"
    CHANGED = "changed", "Changed since it was approved"


class ApprovedPage(SchoolOwned):
    """An address of a topic, what was approved there, and what was last read there: text, title, and final address.

    What answers is cached in Redis (A2): `references.approved.cache`.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    topic = models.ForeignKey(ApprovedTopic, on_delete=models.CASCADE, related_name="pages", db_constraint=False)
    address = models.CharField(max_length=2000)
    position = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=PageState, default=PageState.NEW)
    added_at = models.DateTimeField(default=timezone.now, editable=False)
    reason = models.CharField(max_length=300, blank=True, default="", help_text="why it failed, in words")
    wanted_at = models.DateTimeField(null=True, blank=True, help_text="when the worker was asked to read it")
    checked_at = models.DateTimeField(null=True, blank=True, help_text="when it was last tried")
    read_at = models.DateTimeField(null=True, blank=True, help_text="when its text was last read")
    title = models.CharField(max_length=200, blank=True, default="", help_text="as it was approved")
    final_address = models.CharField(
        max_length=2000, blank=True, default="", help_text="after redirects, as it was approved"
    )
    approved_text = models.TextField(blank=True, default="", help_text="the passage as it was approved")
    approved_hash = models.CharField(max_length=64, blank=True, default="")
    approved_at = models.DateTimeField(null=True, blank=True, help_text="when this text was read")
    seen_text = models.TextField(blank=True, default="", help_text="the passage as it was last read")
    seen_title = models.CharField(max_length=200, blank=True, default="")
    seen_address = models.CharField(max_length=2000, blank=True, default="")

    objects = ApprovedQuerySet["ApprovedPage"].as_manager()

    class Meta:
        ordering = ["topic", "position", "id"]
        constraints = [
            SameSchool(field="topic", name="approved_page_topic"),
            models.UniqueConstraint(fields=["topic", "address"], name="approved_page_once"),
            models.CheckConstraint(condition=models.Q(state__in=PageState.values), name="approved_page_state"),
        ]

    def __str__(self) -> str:
        return self.address

    @property
    def current_state(self) -> PageState:
        """The state, but stale where nobody has read the page for so long that its text does not answer any more."""
        state = PageState(self.state)
        has_answered = state in (PageState.FRESH, PageState.CHANGED)
        return PageState.STALE if has_answered and not self.answers else state

    @property
    def answers(self) -> bool:
        """Whether its approved text answers, as far as the rows know: the cache may have lost it."""
        return bool(
            self.state not in (PageState.NEW, PageState.FAILED)
            and self.approved_text
            and self.answers_until
            and self.answers_until > timezone.now()
        )

    @property
    def answers_until(self) -> datetime | None:
        return self.read_at + KEPT_FOR if self.read_at else None

    @property
    def is_as_approved(self) -> bool:
        """Whether text, title and address were the approved ones when the page was last read."""
        seen = (self.seen_text, self.seen_title, self.seen_address)
        return seen == (self.approved_text, self.title, self.final_address)

    @property
    def seen_hash(self) -> str:
        """The hash of what was last read: text, title and address."""
        return content_hash("\0".join((self.seen_text, self.seen_title, self.seen_address)))

    @property
    def host(self) -> str:
        return urlsplit(self.address).hostname or ""
