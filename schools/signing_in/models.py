"""The browsers in which people are signed in."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import uuid_utils.compat
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

from schools.signing_in.devices import in_words


class BrowserSession(models.Model):
    """A browser in which a person is signed in. It goes with Django's session, and ending it deletes that.

    `last_seen_at` is written every few minutes at most, see `sessions.touch`.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    user: Any = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="browser_sessions")
    session: Any = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="+")
    device = models.CharField(max_length=160, blank=True, help_text="user agent, shortened")
    address = models.CharField(max_length=45, blank=True, help_text="IP address")
    signed_in_at: models.DateTimeField[datetime, datetime] = models.DateTimeField(default=timezone.now)
    last_seen_at: models.DateTimeField[datetime, datetime] = models.DateTimeField(default=timezone.now)

    class Meta:
        app_label = "schools"
        ordering = ["-last_seen_at", "-id"]

    def __str__(self) -> str:
        return f"{self.device_in_words}, {self.address}"

    @property
    def device_in_words(self) -> str:
        return in_words(self.device)
