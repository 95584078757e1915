"""Where a school's people sign in, who of them is known there (ADR 32), and in which browsers they are."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

from accounts.devices import in_words
from accounts.single_sign_on import sealed
from schools.constraints import SameSchool
from schools.models import SchoolOwned
from schools.querysets import SchoolQuerySet

if TYPE_CHECKING:
    from schools.models import Membership

GOOGLE = "https://accounts.google.com"
MICROSOFT = "https://login.microsoftonline.com/"


class IdentityProviderQuerySet(SchoolQuerySet["IdentityProvider"]):
    def for_member(self, member: Membership) -> Self:
        """Admins see those of their school; other members see nothing."""
        return self.for_school(member.school) if member.is_admin else self.none()

    def working(self) -> Self:
        """Those by which people can sign in: switched off neither by the operator nor by the school."""
        return self.filter(is_active=True, is_on=True)


class IdentityProvider(SchoolOwned):
    """An issuer that vouches for people of one school. Only operators set it up: it can claim any address."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    name = models.CharField(max_length=60, help_text="On the button, after “Continue with”: Google, Microsoft …")
    issuer = models.URLField(max_length=300)
    client_id = models.CharField("client ID", max_length=300)
    secret = models.TextField("client secret", help_text="Encrypted.")
    domains = ArrayField(models.CharField(max_length=253), help_text="Only addresses of these domains are let in.")
    joins = models.BooleanField(
        "unknown people join",
        default=False,
        help_text="Whoever signs in with an address of these domains becomes a teacher of the school at once. "
        "Without it only members and people who are invited can sign in.",
    )
    is_active = models.BooleanField("active", default=True, help_text="Untick to let nobody in by it any more.")
    is_on = models.BooleanField("switched on by the school", default=True, help_text="The school’s admins choose it.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = IdentityProviderQuerySet.as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="identity_provider_school"),
            models.CheckConstraint(condition=models.Q(domains__len__gt=0), name="identity_provider_domains"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def works(self) -> bool:
        return self.is_active and self.is_on

    @property
    def is_google(self) -> bool:
        return self.issuer == GOOGLE

    @property
    def is_microsoft(self) -> bool:
        return self.issuer.startswith(MICROSOFT)

    def set_secret(self, secret: str) -> None:
        self.secret = sealed.seal(secret)

    def open_secret(self) -> str:
        """Raises `sealed.Unreadable` if the key of the installation has changed."""
        return sealed.unseal(self.secret)

    def takes(self, email: str) -> bool:
        """Whether the address is of one of its domains. Subdomains are other domains."""
        return email.rpartition("@")[2].lower() in self.domains


class IdentityQuerySet(SchoolQuerySet["Identity"]):
    def for_member(self, member: Membership) -> Self:
        """The person's own in this school."""
        return self.filter(school=member.school_id, user=member.user_id)


class Identity(SchoolOwned):
    """A person as an issuer knows them: by `issuer` and `subject`, never by the address, which may go to another."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identities")
    provider = models.ForeignKey(
        IdentityProvider, on_delete=models.CASCADE, related_name="identities", db_constraint=False
    )
    issuer = models.URLField(max_length=300)
    subject = models.CharField(max_length=255)
    email = models.EmailField("e-mail address", max_length=254, help_text="As the issuer gave it the first time.")
    connected_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(default=timezone.now)

    objects = IdentityQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "identities"
        ordering = ["-id"]
        constraints = [
            SameSchool(field="provider", name="identity_provider_of_school"),
            models.UniqueConstraint(fields=["provider", "issuer", "subject"], name="identity_once"),
        ]

    def __str__(self) -> str:
        return f"{self.email} ({self.issuer})"

    @property
    def holds(self) -> bool:
        """Whether it still lets its person in: another issuer may speak of somebody else."""
        return self.provider.works and self.issuer == self.provider.issuer

    def note_used(self) -> None:
        Identity.objects.filter(pk=self.pk).update(last_used_at=timezone.now())


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
        ordering = ["-last_seen_at", "-id"]

    def __str__(self) -> str:
        return f"{self.device_in_words}, {self.address}"

    @property
    def device_in_words(self) -> str:
        return in_words(self.device)
