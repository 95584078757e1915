"""Entries of the audit log (ADR 29)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

import uuid_utils.compat
from django.conf import settings
from django.db import models
from django.utils import timezone

from schools.audit.actions import Action
from schools.querysets import SchoolQuerySet

if TYPE_CHECKING:
    from schools.models import Membership


class AuditQuerySet(SchoolQuerySet["AuditEntry"]):
    def for_member(self, member: Membership) -> Self:
        """Admins see the entries of their school; other members see nothing."""
        return self.kept().filter(school=member.school_id) if member.is_admin else self.none()

    def kept(self) -> Self:
        """Without entries that are due to be erased in the next night."""
        return self.filter(at__gte=timezone.now() - timedelta(days=settings.LECTERN_AUDIT_DAYS))


class AuditEntry(models.Model):
    """One act. The database refuses to change an entry, and to delete one before its time (a trigger, ADR 29).

    The role that owns the table can drop the trigger.

    Names are copies from the moment of the act, as this school knows the person. Only `school` is a foreign key:
    entries go with their school, and stay when a person or a subject goes.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    at = models.DateTimeField(default=timezone.now)
    school = models.ForeignKey(
        "schools.School",
        on_delete=models.DO_NOTHING,  # the database's own key cascades: see the migration
        db_constraint=False,
        null=True,
        related_name="+",
        help_text="none for acts outside any school",
    )
    action = models.CharField(max_length=60)
    actor_id = models.UUIDField(null=True, help_text="none: unknown, a command or Lectern itself")
    actor_name = models.CharField(max_length=120, blank=True)
    actor_email = models.CharField(max_length=254, blank=True)
    subject_kind = models.CharField(max_length=40, blank=True)
    subject_id = models.CharField(max_length=40, blank=True)
    subject_label = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=45, blank=True, help_text="IP address")
    device = models.CharField(max_length=160, blank=True, help_text="user agent, shortened")
    detail: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)

    objects = AuditQuerySet.as_manager()

    class Meta:
        app_label = "schools"
        verbose_name_plural = "audit log entries"
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["school", "-id"], name="audit_by_school"),
            models.Index(fields=["at"], name="audit_old"),
        ]

    def __str__(self) -> str:
        return f"{self.words}: {self.subject_label}" if self.subject_label else self.words

    @property
    def words(self) -> str:
        """What was done, in plain words."""
        return dict(Action.choices).get(self.action, self.action)

    @property
    def facts(self) -> str:
        """The details on one line."""
        return ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in self.detail.items())
