"""Class links, and what a school decides about them."""

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

from chatbots.models import Chatbot
from corpus.source_kinds import MAX_KIND_LENGTH
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
    """What happens with a question or answer in which a word of the school’s list is found."""

    OFF = "off", "Nothing: nobody looks for words"
    FLAG = "flag", "Show it, and tell the teacher on the desk"
    HOLD = "hold", "Hold it back, show words of help, and tell the teacher"


class ClassroomSettings(SchoolOwned):
    """What a school's admins decide about class links. They need a safeguarding lead, or an admin's word."""

    are_links_allowed = models.BooleanField("class links are allowed", default=True)
    on_concern = models.CharField(max_length=5, choices=OnConcern, default=OnConcern.FLAG)
    help_words = models.TextField(max_length=1000, blank=True, help_text="shown to pupils for self-harm and abuse")
    concern_words = models.JSONField(
        default=dict, blank=True, help_text="by category, where they are not those that Lectern brings"
    )
    tells_teacher = models.BooleanField("the teacher gets a mail", default=True)
    goes_without_lead = models.BooleanField(
        "class links go without a safeguarding lead, as an admin has said", default=False
    )
    allows_practice = models.BooleanField("pupils can practise", default=True)
    sends_grades = models.BooleanField("grades go to learning platforms", default=True)
    asks_model = models.BooleanField(
        "the language model reads too", default=False, help_text="what pupils asked and were answered, afterwards"
    )
    leads_chosen = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="how many of them the admins know of: fewer are told to them"
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


class SafeguardingLead(SchoolOwned):
    """A member who is told at once of grave concerns in all classes of the school, and may read them."""

    member = models.OneToOneField(
        Membership, on_delete=models.CASCADE, related_name="safeguarding_lead", db_constraint=False
    )

    objects = SchoolQuerySet["SafeguardingLead"].as_manager()

    class Meta:
        constraints = [SameSchool(field="member", name="safeguarding_lead_member")]

    def __str__(self) -> str:
        return str(self.member)


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
        models.CharField(max_length=MAX_KIND_LENGTH), null=True, blank=True, help_text="kinds of source; null for all"
    )
    days_kept = models.PositiveSmallIntegerField(
        default=DAYS_KEPT, validators=[MinValueValidator(0), MaxValueValidator(3650)]
    )
    notes_names = models.BooleanField("note the real names of pupils", default=False)
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
