"""Rows of sources beyond the school: what it allows, the pages that it has approved by topic, and ZIM files."""

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
from schools.models import Membership, School, SchoolOwned
from schools.querysets import M, SchoolQuerySet

KEPT_FOR = timedelta(days=30)
"""How long the text of a page answers without having been read again (A2)."""


class ReferenceSettings(SchoolOwned):
    """What a school's admins allow its chatbots. A school without a row allows nothing."""

    school = models.OneToOneField(School, on_delete=models.CASCADE, related_name="reference_settings")
    allows_approved = models.BooleanField(
        "approved pages",
        default=False,
        help_text="Chatbots may answer from the web pages that you list under topics.",
    )
    allows_wikipedia_offline = models.BooleanField(
        "Wikipedia, offline",
        default=False,
        help_text="Chatbots may answer from the encyclopedias that the operator has put on this server as files. "
        "Nothing leaves the server.",
    )
    allows_wikipedia_live = models.BooleanField(
        "Wikipedia and Wikibooks, live",
        default=False,
        help_text="Chatbots may search Wikipedia and Wikibooks on the internet. The words of a question go there, but "
        "not who asks.",
    )
    allows_web_pages = models.BooleanField(
        "web pages as documents",
        default=False,
        help_text="Teachers may add a web page to their own documents by its address, and admins to the library. "
        "Lectern fetches the page once and keeps its text; nobody approves it beforehand. The site sees that your "
        "school’s server asked, but not who did.",
    )
    allows_outside_calls = models.BooleanField(
        "calls to the outside",
        default=True,
        help_text="Switched off, nothing is fetched for your school, whatever is allowed above: pages that are stored "
        "and files on this server still answer.",
    )
    allows_http = models.BooleanField(
        "pages without encryption",
        default=False,
        help_text="Lets you list, and teachers add, pages whose address begins with http://. On the way here somebody "
        "may change them unnoticed, so leave this off unless a page you need has no other address.",
    )

    objects = SchoolQuerySet["ReferenceSettings"].as_manager()

    class Meta:
        verbose_name = verbose_name_plural = "reference settings"

    def __str__(self) -> str:
        return f"Sources beyond {self.school}"

    @classmethod
    def of(cls, school: School) -> ReferenceSettings:
        """The school's settings, with the defaults if it has none."""
        return cls.objects.for_school(school).first() or cls(school=school)


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


class ArchiveState(models.TextChoices):
    INDEXING = "indexing", "Building the title index"
    READY = "ready", "Ready"
    FAILED = "failed", "Cannot be read"


class Archive(models.Model):
    """A ZIM file. It belongs to the installation: every school that allows offline Wikipedia reads it.

    It fails only when it is added. Whether a host can read it now is known to each of its processes alone.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    name = models.CharField(max_length=200, unique=True, help_text="of the file's metadata: replaced by a newer file")
    title = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=40, blank=True)
    path = models.CharField(max_length=1000)
    uuid = models.UUIDField(null=True, blank=True, help_text="of the file, which tells one edition from another")
    date = models.DateField(null=True, blank=True, help_text="of the edition")
    articles = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=ArchiveState, default=ArchiveState.INDEXING)
    reason = models.CharField(max_length=300, blank=True, default="", help_text="why it cannot be read, in words")
    added_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["title", "id"]
        constraints = [models.CheckConstraint(condition=models.Q(state__in=ArchiveState.values), name="archive_state")]

    def __str__(self) -> str:
        return self.title or self.name


def content_hash(text: str) -> str:
    """SHA-256 of a passage, which tells whether a page has changed."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
