"""People, schools, memberships and access tokens. A school is a tenant (S1)."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

import uuid_utils.compat
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Coalesce, Lower, NullIf
from django.utils import timezone

from schools.audit.models import AuditEntry as AuditEntry  # so that Django finds the model
from schools.constraints import SameSchool
from schools.querysets import SchoolQuerySet, UserManager


class User(AbstractBaseUser, PermissionsMixin):
    """A person. Their memberships give them rights in schools; `is_staff` is for operators."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    email = models.EmailField("e-mail address", max_length=254, unique=True)
    name = models.CharField(max_length=120)
    is_staff = models.BooleanField("operator", default=False, help_text="May sign in to Django admin.")
    is_active = models.BooleanField(
        "active", default=True, help_text="Untick to keep a person out and to keep what they have."
    )
    date_joined = models.DateTimeField(default=timezone.now, editable=False)
    alerts_on_sign_in = models.BooleanField(
        "mails about new devices", default=True, help_text="A mail at the first sign-in on a device."
    )

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["name"]

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.name or self.email

    def get_full_name(self) -> str:
        return self.name

    def check_password(self, raw_password: str) -> bool:
        """Refuse the demo's password, which everybody knows, where others can reach Lectern."""
        is_refused = settings.LECTERN_IS_PUBLIC and raw_password == "lectern-demo"  # noqa: S105
        return not is_refused and super().check_password(raw_password)


class School(models.Model):
    """A tenant. Nothing of one school is ever visible to another (S2)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    name = models.CharField(max_length=160)
    slug = models.SlugField(max_length=60, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    demands_second_factor = models.BooleanField(
        "admins need a second factor", default=False, help_text="Without one they get nowhere in the school."
    )
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        User, through="Membership", related_name="schools"
    )

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class SchoolOwned(models.Model):
    """Abstract base of every model whose rows belong to a school."""

    school = models.ForeignKey(School, on_delete=models.CASCADE, related_name="+")

    class Meta:
        abstract = True


class Role(models.TextChoices):
    TEACHER = "teacher", "Teacher"
    ADMIN = "admin", "School admin"


SHOWN = Coalesce(NullIf("known_as", models.Value("")), "user__name")


class MembershipQuerySet(SchoolQuerySet["Membership"]):
    def named(self, words: str = "") -> Self:
        """Members whose name or e-mail address has all of these words, ordered by their name in the school."""
        people = self.alias(shown=SHOWN)
        for word in words.split():
            people = people.filter(models.Q(shown__reads=word) | models.Q(user__email__reads=word))
        return people.order_by("shown", "pk")

    def invited(self) -> Self:
        """Open invitations: people who have not joined this school yet, whether or not they have an account."""
        return self.filter(invited_at__isnull=False)

    def joined(self) -> Self:
        """Members. Who is invited has no rights in the school, and is found by nobody but its admins."""
        return self.filter(invited_at__isnull=True)


class Membership(SchoolOwned):
    """One person in one school, with a role. An admin is also a teacher.

    `known_as` is the name that this school's admin wrote. The name in the account may come from another school, so
    each school sees only its own name for a person, and never when the person signed in (S2).
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    school = models.ForeignKey(School, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.TEACHER)
    known_as = models.CharField(max_length=120, blank=True, help_text="The name in this school.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    invited_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When they were last invited, until they join this school"
    )

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ["school__name", "user__name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "user"], name="membership_once"),
            models.UniqueConstraint(fields=["school", "id"], name="membership_school"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.school}"

    @property
    def is_admin(self) -> bool:
        return self.role == Role.ADMIN

    @property
    def name(self) -> str:
        return self.known_as or str(self.user)


class Scope(models.TextChoices):
    READ = "read", "Read: look up, list and search"
    WRITE = "write", "Read and write: also ask, upload, change and delete"


class TokenQuerySet(SchoolQuerySet["AccessToken"]):
    def for_member(self, member: Membership) -> Self:
        """The member's own tokens in this school that are not revoked."""
        return self.filter(school=member.school_id, membership=member.pk, revoked_at__isnull=True)

    def active(self, now: datetime | None = None) -> Self:
        """Tokens that are neither revoked nor expired."""
        lasting = models.Q(expires_at__isnull=True) | models.Q(expires_at__gt=now or timezone.now())
        return self.filter(lasting, revoked_at__isnull=True)


class AccessToken(SchoolOwned):
    """Lets a program act for one person in one school, with that person's rights.

    Only the SHA-256 of the secret is stored, and `prefix`, its beginning, by which people recognise it. A token is
    deleted with its membership.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="tokens", db_constraint=False)
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=20)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.READ)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            SameSchool(field="membership", name="access_token_membership"),
            models.CheckConstraint(condition=models.Q(scope__in=Scope.values), name="access_token_scope"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def may_write(self) -> bool:
        return self.scope == Scope.WRITE

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()


def name_in_school(person: str) -> models.Subquery:
    """A subquery: the school's name for the user in the field `person`; null for who is no member."""
    members = Membership.objects.filter(school=models.OuterRef("school"), user=models.OuterRef(person))
    return models.Subquery(members.annotate(shown=SHOWN).values("shown")[:1])
