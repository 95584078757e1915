"""The learning platforms of a school, who comes from there, what their activities open, and grades on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts import encryption
from accounts.models import Provider, ProviderQuerySet, Voucher, VoucherQuerySet
from chatbots.models import Chatbot
from classrooms.models import ClassLink, Pupil
from plugins import is_on
from schools.constraints import SameSchool
from schools.models import SchoolOwned
from schools.querysets import SchoolQuerySet

if TYPE_CHECKING:
    from schools.models import Membership


class Platform(Provider):
    """A learning platform of one school.

    Its issuer and client ID do not change: subjects of another issuer are other people.
    """

    issuer = models.CharField("platform ID (issuer)", max_length=300)
    client_id = models.CharField("client ID", max_length=255)
    deployment_ids = ArrayField(models.CharField(max_length=255), verbose_name="deployment IDs")
    authorization_endpoint = models.CharField("authentication request URL", max_length=500)
    token_endpoint = models.CharField("access token URL", max_length=500)
    keys_url = models.CharField("public keyset URL", max_length=500)
    token_audience = models.CharField(
        "audience of token requests", max_length=500, blank=True, help_text="Empty: the access token URL, as in Moodle."
    )
    key = models.TextField("private key", help_text="Encrypted.")

    objects = ProviderQuerySet["Platform"].as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="lti_platform_school"),
            models.UniqueConstraint(
                fields=["issuer", "client_id"],
                name="lti_platform_once",
                violation_error_message="This client ID of this platform is registered already, perhaps for another "
                "school. Each school needs a client ID of its own.",
            ),
            models.CheckConstraint(condition=Q(deployment_ids__len__gt=0), name="lti_platform_deployments"),
        ]

    @property
    def origins(self) -> list[str]:
        """Where its pages and services are; nothing that its tokens name is called anywhere else."""
        named = (self.issuer, self.authorization_endpoint, self.token_endpoint)
        return sorted({f"{urlsplit(one).scheme}://{urlsplit(one).netloc}" for one in named})

    def has(self, address: str) -> bool:
        """Whether an address is of one of its origins."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return False
        return f"{parts.scheme}://{parts.netloc}" in self.origins


class TeacherIdentity(Voucher):
    """A teacher as a platform knows them."""

    provider = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="teachers", db_constraint=False)

    objects = VoucherQuerySet["TeacherIdentity"].as_manager()

    class Meta:
        verbose_name_plural = "teacher identities"
        ordering = ["-id"]
        constraints = [
            SameSchool(field="provider", name="lti_teacher_platform"),
            models.UniqueConstraint(fields=["provider", "subject"], name="lti_teacher_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.provider})"

    @property
    def holds(self) -> bool:
        """Also, learning platforms are switched on here."""
        return super().holds and is_on("lti")


class ResourceLinkQuerySet(SchoolQuerySet["ResourceLink"]):
    def for_member(self, member: Membership) -> Self:
        """Those that open the member's own classes."""
        return self.filter(school=member.school_id, class_link__owner=member.user_id)


class ResourceLink(SchoolOwned):
    """An activity of a platform that opens a class here, and in it a chatbot or the practice of a study plan.

    One that was made by deep linking is named by its id in the activity. Another one is known by where it was bound:
    `deployment_id` and `resource_id`.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="links", db_constraint=False)
    class_link = models.ForeignKey(ClassLink, on_delete=models.CASCADE, related_name="lti_links", db_constraint=False)
    chatbot = models.ForeignKey(
        Chatbot,
        on_delete=models.CASCADE,
        related_name="lti_links",
        db_constraint=False,
        help_text="a chatbot, or the tutor of a study plan",
    )
    sends_grades = models.BooleanField(default=False, help_text="for practice with the study plan of this tutor")
    deployment_id = models.CharField(max_length=255, blank=True)
    resource_id = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ResourceLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="lti_link_school"),
            SameSchool(field="platform", name="lti_link_platform"),
            SameSchool(field="class_link", name="lti_link_class"),
            SameSchool(field="chatbot", name="lti_link_chatbot"),
            models.UniqueConstraint(
                fields=["platform", "deployment_id", "resource_id"], condition=~Q(resource_id=""), name="lti_link_bound"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.class_link} ({self.platform})"


class PupilIdentity(SchoolOwned):
    """By what a pupil of a class is known again: a keyed hash, from which nobody reads who it is on the platform."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="pupils", db_constraint=False)
    pupil = models.OneToOneField(Pupil, on_delete=models.CASCADE, related_name="lti_identity", db_constraint=False)
    digest = models.CharField(max_length=64, help_text="keyed hash of class, issuer and subject")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["PupilIdentity"].as_manager()

    class Meta:
        verbose_name_plural = "pupil identities"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="lti_pupil_school"),
            SameSchool(field="platform", name="lti_pupil_platform"),
            SameSchool(field="pupil", name="lti_pupil_pupil"),
            models.UniqueConstraint(fields=["platform", "digest"], name="lti_pupil_once"),
        ]

    def __str__(self) -> str:
        return str(self.pupil)


class GradePassbackQuerySet(SchoolQuerySet["GradePassback"]):
    def due(self) -> Self:
        """Those to be sent by now, of platforms that are switched on."""
        on = {"resource_link__platform__is_active": True, "resource_link__platform__is_on": True}
        return self.filter(due_at__lte=timezone.now(), **on)


class GradePassback(SchoolOwned):
    """Where the grade of a pupil for one activity goes, and what was sent. `due_at` says that there is a new one."""

    identity = models.ForeignKey(PupilIdentity, on_delete=models.CASCADE, related_name="grades", db_constraint=False)
    resource_link = models.ForeignKey(
        ResourceLink, on_delete=models.CASCADE, related_name="grades", db_constraint=False
    )
    address = models.CharField("line item", max_length=1000)
    sealed_subject = models.TextField(help_text="Encrypted: who it is on the platform, which has to be told.")
    answered_at = models.DateTimeField(null=True, blank=True, help_text="when the pupil last answered")
    due_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="that failed since the last answer")
    last_error = models.CharField(max_length=300, blank=True)
    score = models.FloatField(null=True, blank=True, help_text="the last one that was sent, of 100")
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = GradePassbackQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            SameSchool(field="identity", name="lti_grade_identity"),
            SameSchool(field="resource_link", name="lti_grade_link"),
            models.UniqueConstraint(fields=["identity", "resource_link"], name="lti_grade_once"),
        ]
        indexes = [models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="lti_grade_due")]

    def __str__(self) -> str:
        return f"{self.identity}: {self.score}"

    def open_subject(self) -> str:
        """Raises `encryption.Unreadable` if the key of the installation has changed."""
        return encryption.unseal(self.sealed_subject)
