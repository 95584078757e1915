"""What words of concern or a language model found in what pupils asked and were answered."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Self

import uuid_utils.compat
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from chatbots.models import Message
from classrooms.models.class_link import ClassLink, SafeguardingLead
from classrooms.models.pupil import Pupil
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class Concern(models.TextChoices):
    """What words are about. It says what to look at, and nothing about the pupil."""

    SELF_HARM = "self-harm", "Self-harm"
    VIOLENCE = "violence", "Violence"
    ABUSE = "abuse", "Abuse"
    PERSONAL_DATA = "personal-data", "Personal data given away"
    INSTRUCTIONS = "instructions", "Trying to get around the instructions"


GRAVE = (Concern.SELF_HARM, Concern.VIOLENCE, Concern.ABUSE)
"""The safeguarding lead is told of these as well, and none is erased before somebody has looked."""
HANDED_KEPT = timedelta(days=30)
"""For which a lead finds a concern of something erased, after it was marked as seen."""


_OF_PUPIL = Q(pupil__isnull=False, class_link=None, handed__isnull=True)


class FlagQuerySet(SchoolQuerySet["Flag"]):
    def for_member(self, member: Membership) -> Self:
        """Those of the member's own classes, and for a safeguarding lead the grave ones of the school. Where it has no
        lead who can sign in, its admins stand in."""
        is_own = Q(pupil__class_link__owner=member.user_id) | Q(class_link__owner=member.user_id)
        leads = SafeguardingLead.objects.filter(school=OuterRef("school"), member__user__is_active=True)
        is_lead = Q(Exists(leads.filter(member=member.pk)))
        if member.is_admin:
            is_lead |= ~Q(Exists(leads))
        return self.filter(is_own | is_lead & Q(category__in=GRAVE), school=member.school_id)

    def of_class(self, link: ClassLink) -> Self:
        return self.filter(Q(pupil__class_link=link) | Q(class_link=link))

    def grave(self) -> Self:
        return self.filter(category__in=GRAVE)

    def unseen(self) -> Self:
        return self.filter(seen_at=None)

    def settled(self) -> Self:
        """Those that an erased pupil has left, of which nobody has to be told any more."""
        return self.filter(pupil=None, handed__isnull=True)._told()

    def due(self) -> Self:
        """Those of something erased that a lead has seen long enough ago."""
        return self.filter(handed__isnull=False, seen_at__lt=timezone.now() - HANDED_KEPT)._told()

    def _told(self) -> Self:
        return self.exclude(seen_at=None).exclude(mailed_at=None).filter(mails=None)


class Flag(SchoolOwned):
    """The school's word list, or the language model, found something in a question of a pupil or in its answer, or in
    what the pupil wrote in practice: then there is no message, and `practised` has the text.

    A grave one that nobody has looked at is never erased. If its pupil erases everything, it stays without a word: only
    that it was there. If anything else takes its pupil, message or class away, the safeguarding lead gets what there is
    of it (`handed`), for which `classrooms.erasing` listens.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    pupil = models.ForeignKey(
        Pupil, on_delete=models.CASCADE, null=True, blank=True, related_name="flags", db_constraint=False
    )
    class_link = models.ForeignKey(
        ClassLink, on_delete=models.CASCADE, null=True, blank=True, related_name="erased_flags", db_constraint=False
    )
    nickname = models.CharField(max_length=40, blank=True, help_text="of a pupil who was erased, as `class_link`")
    handed: Any = models.JSONField(
        null=True,
        blank=True,
        help_text="what the safeguarding lead got of something that was erased: pupil, class, teacher, name, text",
    )
    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, null=True, blank=True, related_name="flags", db_constraint=False
    )
    practised = models.TextField(blank=True, help_text="what the pupil answered in practice, or read as feedback")
    category = models.CharField(max_length=14, choices=Concern)
    is_of_answer = models.BooleanField(default=False, help_text="found in the answer, not in the question")
    words = models.TextField(help_text="as they were written")
    entry = models.TextField(blank=True, help_text="the listed phrase or the shape; empty if a model found it")
    was_held = models.BooleanField(default=False, help_text="the pupil saw words of help instead")
    raised_at = models.DateTimeField(default=timezone.now, editable=False)
    seen_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True, help_text="its mails wait to be sent, or were sent")

    objects = FlagQuerySet.as_manager()

    class Meta:
        ordering = ["raised_at", "id"]
        constraints = [
            SameSchool(field="pupil", name="flag_pupil"),
            SameSchool(field="class_link", name="flag_class"),
            SameSchool(field="message", name="flag_message"),
            models.UniqueConstraint(fields=["school", "id"], name="flag_school"),
            models.UniqueConstraint(fields=["message", "category", "is_of_answer"], name="flag_once"),
            models.CheckConstraint(
                condition=(_OF_PUPIL & Q(message__isnull=False, practised=""))
                | (_OF_PUPIL & Q(message=None) & ~Q(practised=""))
                | Q(
                    class_link__isnull=False,
                    category__in=GRAVE,
                    pupil=None,
                    message=None,
                    practised="",
                    words="",
                    entry="",
                    handed__isnull=True,
                )
                | Q(
                    handed__isnull=False,
                    category__in=GRAVE,
                    pupil=None,
                    class_link=None,
                    message=None,
                    practised="",
                ),
                name="flag_of_something",
            ),
            models.CheckConstraint(condition=Q(category__in=Concern.values), name="flag_category"),
        ]
        indexes = [
            models.Index(fields=["raised_at"], condition=Q(mailed_at=None), name="flag_unmailed"),
            models.Index(fields=["school"], condition=Q(seen_at=None), name="flag_unseen"),
        ]

    def __str__(self) -> str:
        return f"{self.get_category_display()}: {self.words[:60]}"

    @property
    def link(self) -> ClassLink | None:
        """The class, also of a pupil who was erased; None once it was handed over."""
        return self.pupil.class_link if self.pupil else self.class_link

    @property
    def written(self) -> str:
        """What the pupil wrote, or read as an answer; empty if the pupil erased it."""
        if self.handed:
            return str(self.handed["text"])
        if self.message is None:
            return self.practised
        return self.message.answer if self.is_of_answer else self.message.question

    @property
    def real_name(self) -> str:
        """Who the pupil is, where somebody has noted it."""
        return str(self.handed["name"]) if self.handed else str(getattr(self.pupil, "real_name", ""))

    @property
    def pupil_name(self) -> str:
        nickname = self.pupil.nickname if self.pupil else self.nickname
        return f"{nickname} ({self.real_name})" if self.real_name else nickname


class ConcernMailQuerySet(SchoolQuerySet["ConcernMail"]):
    def due(self) -> Self:
        return self.filter(due_at__lte=timezone.now())

    def failed(self) -> Self:
        """Those that could not be sent yet, to members who still get mails."""
        return self.filter(attempts__gt=0, member__user__is_active=True)


class ConcernMail(SchoolOwned):
    """A mail about a concern that one member has not got yet. It is deleted once the mail server has taken it."""

    member = models.ForeignKey(
        Membership, on_delete=models.SET_NULL, null=True, related_name="concern_mails", db_constraint=False
    )
    class_link = models.ForeignKey(
        ClassLink, on_delete=models.CASCADE, null=True, blank=True, related_name="mails", db_constraint=False
    )
    flag = models.ForeignKey(
        Flag, on_delete=models.CASCADE, null=True, blank=True, related_name="mails", db_constraint=False
    )
    subject = models.CharField(max_length=200)
    body = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    due_at = models.DateTimeField(default=timezone.now, db_index=True)
    attempts = models.PositiveIntegerField(default=0)

    objects = ConcernMailQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            SameSchool(field="member", name="concern_mail_member"),
            SameSchool(field="class_link", name="concern_mail_class"),
            SameSchool(field="flag", name="concern_mail_flag"),
        ]

    def __str__(self) -> str:
        return f"{self.subject}: {self.member}"


class Moderation(SchoolOwned):
    """That a language model has read a question of a pupil and its answer. What it found are flags."""

    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="moderation", db_constraint=False)
    read_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["Moderation"].as_manager()

    class Meta:
        constraints = [SameSchool(field="message", name="moderation_message")]

    def __str__(self) -> str:
        return f"{self.message_id}, {self.read_at:%Y-%m-%d}"
