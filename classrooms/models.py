"""Class links, the pupils who join by them, and what pupils ask their teacher to look at."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Self

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from chatbots.models import Chatbot, Language, Message, Participant
from corpus.source_kinds import LONGEST
from knowledge.models import PersonalDocument
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import OwnedQuerySet, SchoolQuerySet

EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)
DAYS_KEPT = 30
"""Days after its end for which what pupils asked is kept, if the teacher sets nothing else."""


class SourcesShown(models.TextChoices):
    """What pupils see of the sources of an answer."""

    ALL = "all", "The passages, which they can open"
    TITLES = "titles", "The titles only"
    NONE = "none", "Nothing"


class AnswerLength(models.TextChoices):
    """How long the answers to pupils should be. It is an instruction to a language model."""

    SHORT = "short", "Short"
    NORMAL = "normal", "As the chatbot answers"
    FULL = "full", "Detailed"


class ClassState(models.TextChoices):
    """Whether pupils can work with a class link now."""

    OPEN = "open", "Open"
    PAUSED = "paused", "Paused"
    OUT_OF_HOURS = "out_of_hours", "Outside its hours"
    ENDED = "ended", "Ended"
    CLOSED = "closed", "Closed"
    SWITCHED_OFF = "switched_off", "Switched off by the school"


OVER = (ClassState.ENDED, ClassState.CLOSED, ClassState.SWITCHED_OFF)


class OnConcern(models.TextChoices):
    """What happens with a question or answer in which the school’s rules find something."""

    OFF = "off", "Nothing: the rules are not used"
    FLAG = "flag", "Show it, and tell the teacher on the desk"
    HOLD = "hold", "Hold it back, show words of help, and tell the teacher"


class ClassroomSettings(SchoolOwned):
    """What a school's admins decide about class links. Without a row they are allowed."""

    are_links_allowed = models.BooleanField("class links are allowed", default=True)
    on_concern = models.CharField(max_length=5, choices=OnConcern, default=OnConcern.FLAG)
    help_words = models.TextField(max_length=1000, blank=True, help_text="shown instead of what is held back")
    tells_teacher = models.BooleanField("the teacher gets a mail", default=False)
    counsellors = ArrayField(
        models.BigIntegerField(), default=list, blank=True, help_text="memberships that get a mail"
    )
    updated_at = models.DateTimeField(auto_now=True)

    objects = SchoolQuerySet["ClassroomSettings"].as_manager()

    class Meta:
        verbose_name = verbose_name_plural = "classroom settings"
        constraints = [
            models.UniqueConstraint(fields=["school"], name="classroom_settings_once"),
            models.CheckConstraint(condition=Q(on_concern__in=OnConcern.values), name="classroom_settings_on_concern"),
        ]

    def __str__(self) -> str:
        return f"{self.school}: class links {'allowed' if self.are_links_allowed else 'switched off'}"


class ClassLinkQuerySet(OwnedQuerySet["ClassLink"]):
    def usable(self) -> Self:
        """Links whose teacher is still an active member of the school, which allows class links."""
        member = Membership.objects.joined().filter(
            school=models.OuterRef("school"), user=models.OuterRef("owner"), user__is_active=True
        )
        off = ClassroomSettings.objects.filter(school=models.OuterRef("school"), are_links_allowed=False)
        return self.filter(models.Exists(member), ~models.Exists(off))

    def not_over(self) -> Self:
        return self.filter(closed_at=None, ends_at__gt=timezone.now())

    def due(self) -> Self:
        """Links whose data is to be erased by now: its days after the end are over."""
        ended = models.functions.Least("ends_at", models.functions.Coalesce("closed_at", "ends_at"))
        keeps = models.ExpressionWrapper(
            ended + models.F("days_kept") * timedelta(days=1), output_field=models.DateTimeField()
        )
        return self.alias(erased=keeps).filter(erased__lte=timezone.now())


class ClassLink(SchoolOwned):
    """A teacher opens chatbots to a class: pupils join by its code, without accounts (C10)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="class_links")
    name = models.CharField("name of the class", max_length=80)
    code = models.CharField(max_length=12, unique=True, help_text="without its hyphen")
    chatbots: models.ManyToManyField[Chatbot, ClassLinkChatbot] = models.ManyToManyField(
        Chatbot, through="ClassLinkChatbot", related_name="class_links"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ends_at = models.DateTimeField()
    weekdays = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True, help_text="0 is Monday")
    opens = models.TimeField("from", null=True, blank=True)
    closes = models.TimeField("until", null=True, blank=True)
    questions_a_day = models.PositiveSmallIntegerField(
        default=40, validators=[MinValueValidator(1), MaxValueValidator(500)]
    )
    answer_length = models.CharField(max_length=6, choices=AnswerLength, default=AnswerLength.NORMAL)
    sources_shown = models.CharField(max_length=6, choices=SourcesShown, default=SourcesShown.ALL)
    shows_earlier = models.BooleanField("pupils see their earlier conversations", default=True)
    hints_first = models.BooleanField("give hints before answers", default=False)
    kinds = ArrayField(
        models.CharField(max_length=LONGEST), null=True, blank=True, help_text="kinds of source; null for all"
    )
    days_kept = models.PositiveSmallIntegerField(
        default=DAYS_KEPT, validators=[MinValueValidator(0), MaxValueValidator(3650)]
    )
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ClassLinkQuerySet.as_manager()

    class Meta:
        verbose_name = "class link"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="class_link_school"),
            models.CheckConstraint(condition=Q(sources_shown__in=SourcesShown.values), name="class_link_sources"),
            models.CheckConstraint(condition=Q(answer_length__in=AnswerLength.values), name="class_link_length"),
            models.CheckConstraint(
                condition=Q(questions_a_day__gte=1, questions_a_day__lte=500), name="class_link_questions"
            ),
            models.CheckConstraint(
                condition=Q(weekdays__contained_by=list(EVERY_DAY)) & ~Q(weekdays=[]), name="class_link_weekdays"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_code(self) -> str:
        """The code as people read it: two groups of four."""
        return f"{self.code[:4]}-{self.code[4:]}"

    @property
    def erased_at(self) -> datetime:
        """When what its pupils asked is erased."""
        return min(self.ends_at, self.closed_at or self.ends_at) + timedelta(days=self.days_kept)

    def state(self, now: datetime | None = None) -> ClassState:
        """Whether pupils can work now. The school's switch is `is_switched_off`, which asks the database."""
        now = now or timezone.now()
        if self.closed_at:
            return ClassState.CLOSED
        if self.ends_at <= now:
            return ClassState.ENDED
        if self.paused_at:
            return ClassState.PAUSED
        return ClassState.OPEN if self._is_within_hours(timezone.localtime(now)) else ClassState.OUT_OF_HOURS

    def _is_within_hours(self, now: datetime) -> bool:
        since, until = self.opens or time.min, self.closes or time.max
        return now.weekday() in self.weekdays and since <= now.time() <= until

    def is_switched_off(self) -> bool:
        """Whether the school allows no class links, or its teacher has left the school."""
        return not ClassLink.objects.usable().filter(pk=self.pk).exists()


class ClassLinkChatbot(SchoolOwned):
    """A chatbot that the pupils of a class may ask."""

    class_link = models.ForeignKey(ClassLink, on_delete=models.CASCADE, related_name="opened", db_constraint=False)
    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="opened_to", db_constraint=False)

    objects = SchoolQuerySet["ClassLinkChatbot"].as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            SameSchool(field="class_link", name="class_chatbot_link"),
            SameSchool(field="chatbot", name="class_chatbot_chatbot"),
            models.UniqueConstraint(fields=["class_link", "chatbot"], name="class_chatbot_once"),
        ]

    def __str__(self) -> str:
        return str(self.chatbot)


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


class ConcernRules(SchoolOwned):
    """The rules of a school for one language, as its admins edited them. Without a row the default rules count."""

    language = models.CharField(max_length=2, choices=Language)
    text = models.TextField()
    updated_at = models.DateTimeField(auto_now=True)

    objects = SchoolQuerySet["ConcernRules"].as_manager()

    class Meta:
        verbose_name = verbose_name_plural = "rules of concern"
        constraints = [
            models.UniqueConstraint(fields=["school", "language"], name="concern_rules_once"),
            models.CheckConstraint(condition=Q(language__in=Language.values), name="concern_rules_language"),
        ]

    def __str__(self) -> str:
        return f"{self.school}: {self.get_language_display()}"


class Concern(models.TextChoices):
    """What a rule is about. It says what to look at, and nothing about the pupil."""

    SELF_HARM = "self-harm", "Self-harm"
    VIOLENCE = "violence", "Violence"
    ABUSE = "abuse", "Abuse"
    PERSONAL_DATA = "personal-data", "Personal data given away"
    INSTRUCTIONS = "instructions", "Trying to get around the instructions"


class FlagQuerySet(SchoolQuerySet["Flag"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, message__chat__participant__pupil__class_link__owner=member.user_id)

    def unseen(self) -> Self:
        return self.filter(seen_at=None)


class Flag(SchoolOwned):
    """A rule of the school found something in a question of a pupil, or in the answer to it."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="flags", db_constraint=False)
    category = models.CharField(max_length=14, choices=Concern)
    is_of_answer = models.BooleanField(default=False, help_text="found in the answer, not in the question")
    words = models.TextField(help_text="as they were written")
    rule = models.TextField(help_text="as it stood in the school’s rules")
    was_held = models.BooleanField(default=False, help_text="the pupil saw words of help instead")
    raised_at = models.DateTimeField(default=timezone.now, editable=False)
    seen_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)

    objects = FlagQuerySet.as_manager()

    class Meta:
        ordering = ["raised_at", "id"]
        constraints = [
            SameSchool(field="message", name="flag_message"),
            models.UniqueConstraint(fields=["message", "category", "is_of_answer"], name="flag_once"),
            models.CheckConstraint(condition=Q(category__in=Concern.values), name="flag_category"),
        ]
        indexes = [
            models.Index(fields=["raised_at"], condition=Q(mailed_at=None), name="flag_unmailed"),
        ]

    def __str__(self) -> str:
        return f"{self.get_category_display()}: {self.words[:60]}"
