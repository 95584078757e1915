"""What words of concern or a language model found in what pupils asked and were answered."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models import Message
from classrooms.models.class_link import ClassLink
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
"""Here it does not vanish that something was found when a pupil is erased before the teacher has looked."""


class FlagQuerySet(SchoolQuerySet["Flag"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, pupil__class_link__owner=member.user_id)

    def unseen(self) -> Self:
        return self.filter(seen_at=None)


class Flag(SchoolOwned):
    """The school's word list, or the language model, found something in a question of a pupil or in its answer, or in
    what the pupil wrote in practice: then there is no message, and `practised` has the text."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    pupil = models.ForeignKey(Pupil, on_delete=models.CASCADE, related_name="flags", db_constraint=False)
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
            SameSchool(field="message", name="flag_message"),
            models.UniqueConstraint(fields=["school", "id"], name="flag_school"),
            models.UniqueConstraint(fields=["message", "category", "is_of_answer"], name="flag_once"),
            models.CheckConstraint(
                condition=Q(message__isnull=False, practised="") | (Q(message=None) & ~Q(practised="")),
                name="flag_of_something",
            ),
            models.CheckConstraint(condition=Q(category__in=Concern.values), name="flag_category"),
        ]
        indexes = [
            models.Index(fields=["raised_at"], condition=Q(mailed_at=None), name="flag_unmailed"),
        ]

    def __str__(self) -> str:
        return f"{self.get_category_display()}: {self.words[:60]}"


class ErasedConcernQuerySet(SchoolQuerySet["ErasedConcern"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, class_link__owner=member.user_id)

    def unseen(self) -> Self:
        return self.filter(seen_at=None)

    def settled(self) -> Self:
        """Those of which nobody has to be told any more."""
        return self.exclude(seen_at=None).exclude(mailed_at=None).filter(mails=None)


class ErasedConcern(SchoolOwned):
    """What is left of an unseen flag when its pupil is erased: that there was something, without a word of it. It goes
    when the teacher has seen it, and at the latest with the class."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    class_link = models.ForeignKey(
        ClassLink, on_delete=models.CASCADE, related_name="erased_concerns", db_constraint=False
    )
    category = models.CharField(max_length=14, choices=Concern)
    nickname = models.CharField(max_length=40)
    raised_at = models.DateTimeField()
    is_by_pupil = models.BooleanField(help_text="the pupil erased it, not the teacher")
    seen_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)

    objects = ErasedConcernQuerySet.as_manager()

    class Meta:
        ordering = ["raised_at", "id"]
        constraints = [
            SameSchool(field="class_link", name="erased_concern_class"),
            models.UniqueConstraint(fields=["school", "id"], name="erased_concern_school"),
            models.CheckConstraint(condition=Q(category__in=GRAVE), name="erased_concern_category"),
        ]

    def __str__(self) -> str:
        return f"{self.get_category_display()}, {self.nickname}"


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
    trace = models.ForeignKey(
        ErasedConcern, on_delete=models.CASCADE, null=True, blank=True, related_name="mails", db_constraint=False
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
            SameSchool(field="trace", name="concern_mail_trace"),
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
