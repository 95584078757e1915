"""The pupils of a class, and what stands between them and their teacher."""

from __future__ import annotations

from typing import Self

import uuid_utils.compat
from django.db import models
from django.utils import timezone

from chatbots.models import Chatbot, Message, Participant
from classrooms.models.class_link import ClassLink
from knowledge.models import PersonalDocument
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet


class PupilQuerySet(SchoolQuerySet["Pupil"]):
    def for_member(self, member: Membership) -> Self:
        """The pupils of the member's own classes."""
        return self.filter(school=member.school_id, class_link__owner=member.user_id)


class Pupil(SchoolOwned):
    """A pupil in one class: a nickname from a list and a code to come back, no account.

    `key` stands in the cookie of the pupil's browsers; with another key they are signed out.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    class_link = models.ForeignKey(ClassLink, on_delete=models.CASCADE, related_name="pupils", db_constraint=False)
    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="pupil", db_constraint=False)
    nickname = models.CharField(max_length=40)
    code_digest = models.CharField(max_length=64, help_text="keyed hash of the code to come back")
    key = models.CharField(max_length=22)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)
    seen_at = models.DateTimeField(default=timezone.now)
    paused_at = models.DateTimeField(null=True, blank=True)

    objects = PupilQuerySet.as_manager()

    class Meta:
        ordering = ["nickname", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="pupil_school"),
            SameSchool(field="class_link", name="pupil_class"),
            SameSchool(field="participant", name="pupil_participant"),
            models.UniqueConstraint(fields=["class_link", "nickname"], name="pupil_nickname"),
            models.UniqueConstraint(fields=["class_link", "code_digest"], name="pupil_code"),
        ]

    def __str__(self) -> str:
        return self.nickname


class RealName(SchoolOwned):
    """Who a pupil is, as the teacher or a learning platform says: beside concerns and on a page of its own only."""

    pupil = models.OneToOneField(Pupil, on_delete=models.CASCADE, related_name="real_name", db_constraint=False)
    name = models.CharField(max_length=120)

    objects = SchoolQuerySet["RealName"].as_manager()

    class Meta:
        constraints = [SameSchool(field="pupil", name="real_name_pupil")]

    def __str__(self) -> str:
        return self.name


class RaisedHandQuerySet(SchoolQuerySet["RaisedHand"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, message__chat__participant__pupil__class_link__owner=member.user_id)

    def waiting(self) -> Self:
        return self.filter(answered_at=None)


class RaisedHand(SchoolOwned):
    """“Ask my teacher about this”: an answer that a pupil wants the teacher to look at."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="raised_hand", db_constraint=False)
    raised_at = models.DateTimeField(default=timezone.now, editable=False)
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = RaisedHandQuerySet.as_manager()

    class Meta:
        ordering = ["raised_at", "id"]
        constraints = [SameSchool(field="message", name="hand_message")]

    def __str__(self) -> str:
        return str(self.message)


class TeacherNoteQuerySet(SchoolQuerySet["TeacherNote"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, message__chat__participant__pupil__class_link__owner=member.user_id)


class TeacherNote(SchoolOwned):
    """What the teacher says about an answer. The pupil sees it beside the answer, as the teacher's."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    message = models.OneToOneField(Message, on_delete=models.CASCADE, related_name="teacher_note", db_constraint=False)
    text = models.TextField(max_length=2000)
    written_at = models.DateTimeField(default=timezone.now)

    objects = TeacherNoteQuerySet.as_manager()

    class Meta:
        ordering = ["written_at", "id"]
        constraints = [SameSchool(field="message", name="teacher_note_message")]

    def __str__(self) -> str:
        return self.text[:60]


class Correction(SchoolOwned):
    """The personal document with the corrected answers of a chatbot."""

    chatbot = models.OneToOneField(Chatbot, on_delete=models.CASCADE, related_name="correction", db_constraint=False)
    document = models.ForeignKey(
        PersonalDocument, on_delete=models.CASCADE, related_name="corrections", db_constraint=False
    )

    objects = SchoolQuerySet["Correction"].as_manager()

    class Meta:
        constraints = [
            SameSchool(field="chatbot", name="correction_chatbot"),
            SameSchool(field="document", name="correction_document"),
        ]

    def __str__(self) -> str:
        return str(self.document)
