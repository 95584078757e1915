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
        is_own = Q(pupil__class_link__owner=member.user_id) | Q(class_link__owner=member.user_id)
        return self.filter(is_own, school=member.school_id)

    def unseen(self) -> Self:
        return self.filter(seen_at=None)

    def settled(self) -> Self:
        """Those of erased pupils of which nobody has to be told any more."""
        return self.filter(pupil=None).exclude(seen_at=None).exclude(mailed_at=None).filter(mails=None)


class Flag(SchoolOwned):
    """The school's word list, or the language model, found something in a question of a pupil or in its answer, or in
    what the pupil wrote in practice: then there is no message, and `practised` has the text.

    When its pupil is erased, an unseen one that is grave stays without a word: only that it was there. It goes when the
    teacher has seen it, and at the latest with the class.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    pupil = models.ForeignKey(
        Pupil, on_delete=models.CASCADE, null=True, blank=True, related_name="flags", db_constraint=False
    )
    class_link = models.ForeignKey(
        ClassLink, on_delete=models.CASCADE, null=True, blank=True, related_name="erased_flags", db_constraint=False
    )
    nickname = models.CharField(max_length=40, blank=True, help_text="of a pupil who was erased, as `class_link`")
    is_by_pupil = models.BooleanField(default=False, help_text="the pupil erased it, not the teacher")
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
                condition=Q(pupil__isnull=False, class_link=None, message__isnull=False, practised="")
                | (Q(pupil__isnull=False, class_link=None, message=None) & ~Q(practised=""))
                | Q(
                    class_link__isnull=False,
                    category__in=GRAVE,
                    pupil=None,
                    message=None,
                    practised="",
                    words="",
                    entry="",
                ),
                name="flag_of_something",
            ),
            models.CheckConstraint(condition=Q(category__in=Concern.values), name="flag_category"),
        ]
        indexes = [
            models.Index(fields=["raised_at"], condition=Q(mailed_at=None), name="flag_unmailed"),
        ]

    def __str__(self) -> str:
        return f"{self.get_category_display()}: {self.words[:60]}"

    @property
    def link(self) -> ClassLink:
        """The class, also of a pupil who was erased."""
        link = self.pupil.class_link if self.pupil else self.class_link
        assert link
        return link


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
