"""Certificates of what was erased."""

from __future__ import annotations

from typing import Any, Self

import uuid_utils.compat
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet

BACKUPS = (
    "Backups that were made before still have the data until they are deleted in turn. If one is restored, the data "
    "must be erased again."
)


class ErasureKind(models.TextChoices):
    """What was erased."""

    PUPIL = "pupil", "A pupil"
    CLASS = "class", "A class with its pupils"
    PERSON = "person", "A person"


class ErasureQuerySet(SchoolQuerySet["Erasure"]):
    def for_member(self, member: Membership) -> Self:
        """Admins see those of their school, others those that they asked for."""
        rows = self.filter(school=member.school_id)
        return rows if member.is_admin else rows.filter(asked_by=member.user_id)


class Erasure(SchoolOwned):
    """That something was erased, how much, and what is kept. It has no name of whoever was erased."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    kind = models.CharField(max_length=6, choices=ErasureKind)
    subject_id = models.UUIDField(help_text="of the pupil, class or person")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    erased_at = models.DateTimeField(default=timezone.now)
    counts = models.JSONField(help_text="how much was erased, by its name")
    kept: Any = models.JSONField(default=list, help_text="what stays, and why, in sentences")

    objects = ErasureQuerySet.as_manager()

    class Meta:
        ordering = ["-erased_at", "-id"]
        constraints = [models.CheckConstraint(condition=Q(kind__in=ErasureKind.values), name="erasure_kind")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.erased_at:%Y-%m-%d}"

    @property
    def backups(self) -> str:
        """What the certificate says of backups."""
        return BACKUPS
