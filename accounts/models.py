"""What vouches for people of one school, and who of them it knows (ADR 32). `lti` has further ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accounts import encryption
from schools.constraints import SameSchool
from schools.models import SchoolOwned
from schools.querysets import SchoolQuerySet

if TYPE_CHECKING:
    from schools.models import Membership

GOOGLE = "https://accounts.google.com"
MICROSOFT = "https://login.microsoftonline.com/"
M = TypeVar("M", bound=models.Model)


class ProviderQuerySet(SchoolQuerySet[M]):
    def for_member(self, member: Membership) -> Self:
        """Admins see those of their school; other members see nothing."""
        return self.for_school(member.school) if member.is_admin else self.none()

    def working(self) -> Self:
        """Those that people can come from: switched off neither by the operator nor by the school."""
        return self.filter(is_active=True, is_on=True)


class Provider(SchoolOwned):
    """Abstract: it vouches for people of one school. Only operators set it up: it can claim to be anybody there."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    name = models.CharField(max_length=60, help_text="As people call it: Google, Microsoft, Moodle …")
    is_active = models.BooleanField("active", default=True, help_text="Untick to let nobody in by it any more.")
    is_on = models.BooleanField("switched on by the school", default=True, help_text="The school’s admins choose it.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    if TYPE_CHECKING:
        issuer: Any
        client_id: Any

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def works(self) -> bool:
        return self.is_active and self.is_on


class VoucherQuerySet(SchoolQuerySet[M]):
    def for_member(self, member: Membership) -> Self:
        """The person's own in this school."""
        return self.filter(school=member.school_id, user=member.user_id)


class Voucher(SchoolOwned):
    """Abstract: a person as their `provider` knows them, by `subject`. The owner of the account connected the two."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    subject = models.CharField(max_length=255)
    connected_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(default=timezone.now)

    if TYPE_CHECKING:
        provider: Any

    class Meta:
        abstract = True

    @property
    def holds(self) -> bool:
        """Whether it still lets its person in."""
        return bool(self.provider.works)

    def note_used(self) -> None:
        """Note that its person signs in by it now."""
        type(self)._base_manager.filter(pk=self.pk).update(last_used_at=timezone.now())


class IdentityProvider(Provider):
    """An issuer that speaks OpenID Connect."""

    issuer = models.CharField(max_length=300, help_text="An https address, such as https://accounts.google.com.")
    client_id = models.CharField("client ID", max_length=300)
    secret = models.TextField("client secret", help_text="Encrypted.")
    domains = ArrayField(models.CharField(max_length=253), help_text="Only addresses of these domains are let in.")
    joins = models.BooleanField(
        "unknown people join",
        default=False,
        help_text="Whoever signs in with an address of these domains becomes a teacher of the school at once. "
        "Without it only members and people who are invited can sign in.",
    )

    objects = ProviderQuerySet["IdentityProvider"].as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="identity_provider_school"),
            models.CheckConstraint(condition=models.Q(domains__len__gt=0), name="identity_provider_domains"),
        ]

    @property
    def is_google(self) -> bool:
        return self.issuer == GOOGLE

    @property
    def is_microsoft(self) -> bool:
        return self.issuer.startswith(MICROSOFT)

    def set_secret(self, secret: str) -> None:
        self.secret = encryption.seal(secret)

    def open_secret(self) -> str:
        """Raises `encryption.Unreadable` if the key of the installation has changed."""
        return encryption.unseal(self.secret)

    def takes(self, email: str) -> bool:
        """Whether the address is of one of its domains. Subdomains are other domains."""
        return email.rpartition("@")[2].lower() in self.domains


class Identity(Voucher):
    """A person as an issuer knows them: by `issuer` and `subject`, never by the address, which may go to another."""

    provider = models.ForeignKey(
        IdentityProvider, on_delete=models.CASCADE, related_name="identities", db_constraint=False
    )
    issuer = models.URLField(max_length=300)
    email = models.EmailField("e-mail address", max_length=254, help_text="As the issuer gave it the first time.")

    objects = VoucherQuerySet["Identity"].as_manager()

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
        """Also, it is of the provider's issuer: another one may speak of somebody else."""
        return super().holds and self.issuer == self.provider.issuer
