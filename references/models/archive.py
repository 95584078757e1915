"""ZIM files that the operator has added to the installation."""

from __future__ import annotations

import uuid_utils.compat
from django.db import models
from django.utils import timezone


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
