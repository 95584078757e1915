"""The table of the API itself: answers kept for requests that are sent twice."""

import uuid_utils.compat
from django.conf import settings
from django.db import models
from django.utils import timezone

from schools.models import SchoolOwned
from schools.querysets import SchoolQuerySet


class IdempotencyRecord(SchoolOwned):
    """The answer to a request with an `Idempotency-Key`. It is kept for a day."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of the request")
    status = models.PositiveSmallIntegerField(editable=False)
    headers = models.JSONField(default=dict, editable=False)
    body = models.TextField(blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["IdempotencyRecord"].as_manager()

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["school", "owner", "key"], name="idempotency_record_key")]
        indexes = [models.Index(fields=["created_at"], name="idempotency_record_age")]

    def __str__(self) -> str:
        return f"{self.key[:20]} of {self.created_at:%Y-%m-%d %H:%M}"
