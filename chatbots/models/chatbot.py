"""Chatbots and the sources that they may read."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Self
from uuid import UUID

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models, transaction
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import JSONObject
from django.utils import timezone

from chatbots.models.collaborator import ChatbotRole, Collaborator
from chatbots.models.participant import Participant
from corpus.source_kinds import MAX_KIND_LENGTH, Participation, SourceKind, get_kind, list_searchable_kinds
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.built_once import build_once
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import OwnedQuerySet, SchoolQuerySet


class ChatbotKind(models.TextChoices):
    """The kind of chatbot; it decides the wording of refusals (T4)."""

    GENERAL = "general", "General"
    TEXTBOOK = "textbook", "Textbook"


class WhenUnsure(models.TextChoices):
    REFUSE = "refuse", "Say that the sources do not answer it"
    GENERAL = "general", "Answer from general knowledge, clearly marked"


class Language(models.TextChoices):
    ENGLISH = "en", "English"
    GERMAN = "de", "German"
    FRENCH = "fr", "French"
    SPANISH = "es", "Spanish"


NEVER_GENERAL = "A textbook chatbot never answers from general knowledge."


class ChatbotQuerySet(OwnedQuerySet["Chatbot"]):
    """A tutor belongs to a study plan: it can be asked, but it is neither listed nor edited as a chatbot."""

    def for_member(self, member: Membership) -> Self:
        return self.for_member_with_deleted(member).kept()

    def for_member_with_deleted(self, member: Membership) -> Self:
        """For deleting and restoring, which may be requested twice."""
        return super().for_member(member).filter(is_tutor=False)

    def askable_by(self, member: Membership) -> Self:
        """The member's own chatbots and tutors, and those that colleagues share with the member."""
        return self.kept().filter(Q(owner=member.user_id) | _shared_with(member), school=member.school_id)

    def visible_to(self, member: Membership) -> Self:
        """The same without tutors: what lists of chatbots show."""
        return self.askable_by(member).filter(is_tutor=False)

    def for_asking(self, member: Membership) -> Self:
        """With what an answer needs: the school, the rows of its sources, and the member's participant as `asker`."""
        rows = ChatbotSource.objects.filter(chatbot=OuterRef("pk"))
        names = [field.attname for field in ChatbotSource._meta.concrete_fields if field.attname != "chatbot_id"]
        asker = Participant.objects.for_member(member).values("pk")
        return self.select_related("school").annotate(
            source_rows=ArraySubquery(rows.values(row=JSONObject(**{name: name for name in names}))),
            asker=Subquery(asker),
        )

    def editable_by(self, member: Membership) -> Self:
        """The member's own chatbots, and those that are shared to be changed together."""
        return self.visible_to(member).filter(Q(owner=member.user_id) | _shared_with(member, role=ChatbotRole.EDITOR))

    def templates_for(self, member: Membership) -> Self:
        """What members of the school offer as templates."""
        rows = self.kept().filter(school=member.school_id, is_template=True, is_tutor=False)
        return rows.filter(owner__memberships__school=member.school_id, owner__memberships__invited_at=None)

    def copyable_by(self, member: Membership) -> Self:
        """What the member may ask, and the templates of the school."""
        either = Q(pk__in=self.model._default_manager.templates_for(member).values("pk")) | Q(
            pk__in=self.model._default_manager.visible_to(member).values("pk")
        )
        return self.filter(either)

    def described_for(self, member: Membership) -> Self:
        """With the member's `role`, whether colleagues use it (`is_shared`), and when the member `archived` it."""
        of_member = Collaborator.objects.filter(chatbot=OuterRef("pk"), membership=member.pk)
        is_owner = Q(owner=member.user_id)
        return self.annotate(
            role=Case(
                When(is_owner, then=Value(ChatbotRole.OWNER.value)), default=Subquery(of_member.values("role")[:1])
            ),
            is_shared=Exists(Collaborator.objects.filter(chatbot=OuterRef("pk"))),
            archived=Case(When(is_owner, then=F("archived_at")), default=Subquery(of_member.values("archived_at")[:1])),
        )

    def kept(self) -> Self:
        return self.filter(deleted_at__isnull=True)

    def deleted(self) -> Self:
        return self.filter(deleted_at__isnull=False)


def _shared_with(member: Membership, **of: object) -> Q:
    return Q(pk__in=Collaborator.objects.filter(membership=member.pk, **of).values("chatbot"), is_tutor=False)


def filter_reachable(member: Membership, chatbot: str) -> Q:
    """Rows without a chatbot, or of one that the member may ask. `chatbot` is the path to it."""
    askable = Chatbot.objects.askable_by(member).order_by().values("pk")
    return Q(**{f"{chatbot}__isnull": True}) | Q(**{f"{chatbot}__in": askable})


class Chatbot(SchoolOwned):
    """A teacher's chatbot: its instructions and the documents that it may read (H3, H4).

    A deleted chatbot is hidden with its conversations until it is erased (`chatbots.conversations.deletion`).
    """

    asker: UUID | None = None
    """The participant of the member for whom it was read, who may ask it."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chatbots")
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=300, blank=True)
    instructions = models.TextField(max_length=4000, blank=True)
    subject = models.CharField(max_length=60, blank=True)
    language = models.CharField(max_length=2, choices=Language, default=Language.ENGLISH)
    kind = models.CharField(max_length=10, choices=ChatbotKind, default=ChatbotKind.GENERAL)
    places = models.PositiveSmallIntegerField(default=5, validators=[MinValueValidator(1), MaxValueValidator(20)])
    when_unsure = models.CharField(max_length=10, choices=WhenUnsure, default=WhenUnsure.REFUSE)
    is_named_in_log = models.BooleanField(
        "named in the school's question log",
        default=False,
        help_text="The name may reveal the teacher, so the log shows it only with the teacher’s consent.",
    )
    is_tutor = models.BooleanField(default=False, editable=False, help_text="of a study plan")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False, help_text="when its owner archived it")
    is_template = models.BooleanField(
        "template of the school", default=False, help_text="Every member of the school may copy it."
    )
    colleagues_get_documents = models.BooleanField(
        default=False, help_text="Colleagues with whom it is shared may get answers from the owner’s documents."
    )
    personal_documents: models.ManyToManyField[PersonalDocument, ChatbotPersonalDocLink] = models.ManyToManyField(
        PersonalDocument, through="ChatbotPersonalDocLink", related_name="chatbots"
    )
    school_documents: models.ManyToManyField[SchoolDocument, ChatbotSchoolDocLink] = models.ManyToManyField(
        SchoolDocument, through="ChatbotSchoolDocLink", related_name="chatbots"
    )

    objects = ChatbotQuerySet.as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="chatbot_school"),
            models.CheckConstraint(
                condition=Q(places__gte=1, places__lte=20),
                name="chatbot_places_1_to_20",
                violation_error_message="A chatbot has between 1 and 20 places.",
            ),
            models.CheckConstraint(condition=Q(when_unsure__in=WhenUnsure.values), name="chatbot_when_unsure"),
            models.CheckConstraint(condition=Q(kind__in=ChatbotKind.values), name="chatbot_kind"),
            models.CheckConstraint(
                condition=~Q(kind=ChatbotKind.TEXTBOOK) | Q(when_unsure=WhenUnsure.REFUSE),
                name="chatbot_textbook_refuses",
                violation_error_message=NEVER_GENERAL,
            ),
        ]
        indexes = [
            models.Index(fields=["deleted_at"], condition=Q(deleted_at__isnull=False), name="chatbot_deleted"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def public_name(self) -> str:
        """The name as far as the school's logs may show it: empty without the teacher's consent."""
        return self.name if self.is_named_in_log else ""

    @property
    def erased_after(self) -> datetime | None:
        return self.deleted_at and self.deleted_at + timedelta(days=settings.LECTERN_KEEP_DELETED_DAYS)

    def uses_private_sources_for(self, user: UUID | None) -> bool:
        """Whether questions of this user may be answered from the owner's documents.

        None is a person without an account, to whom the owner has opened the chatbot.
        """
        return user in (None, self.owner_id) or self.colleagues_get_documents

    @transaction.atomic
    def save(self, **options: Any) -> None:
        """Also create a row for each kind of source that takes part in a new chatbot."""
        is_new = self._state.adding
        super().save(**options)
        if is_new:
            rows = [row for row in self.all_sources() if row.participation != Participation.OFF]
            ChatbotSource.objects.bulk_create(rows)

    def all_sources(self) -> list[ChatbotSource]:
        """One row per kind of source. A kind that was added after the chatbot gets no share."""
        rows = {} if self._state.adding else {row.kind: row for row in self._stored_sources()}
        return [rows.get(kind.value) or self._default_source(kind, is_new=not rows) for kind in list_searchable_kinds()]

    def _stored_sources(self) -> list[ChatbotSource]:
        if "sources" in getattr(self, "_prefetched_objects_cache", {}):
            return list(self.sources.all())
        if (rows := self.__dict__.get("source_rows")) is not None:
            return [ChatbotSource(chatbot=self, **row) for row in rows]
        found = _fetch_sources(self.pk)
        for row in found:
            row.chatbot = self
        return found

    def active_sources(self) -> list[ChatbotSource]:
        """The rows that take part in an answer now: those that are off or not allowed do not."""
        return [row for row in self.all_sources() if row.participation != Participation.OFF and row.is_allowed]

    def _default_source(self, kind: SourceKind, *, is_new: bool) -> ChatbotSource:
        row = ChatbotSource(school_id=self.school_id, chatbot=self, kind=kind.value)
        if is_new or kind.participation != Participation.SHARES:
            row.participation, row.weight = kind.participation, kind.weight
        return row


class ChatbotSource(SchoolOwned):
    """How one kind of source takes part in a chatbot's answers (ADR 19).

    The weights of the kinds that share the places add up to 100. A trigger in the first migration enforces this.
    """

    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="sources", db_constraint=False)
    kind = models.CharField(max_length=MAX_KIND_LENGTH)
    participation = models.CharField(max_length=10, choices=Participation, default=Participation.OFF)
    weight = models.PositiveSmallIntegerField(default=0, help_text="percent of the places")

    objects = SchoolQuerySet["ChatbotSource"].as_manager()

    class Meta:
        ordering = ["chatbot", "kind"]
        constraints = [
            SameSchool(field="chatbot", name="chatbot_source_chatbot"),
            models.UniqueConstraint(fields=["chatbot", "kind"], name="chatbot_source_once"),
            models.CheckConstraint(
                condition=Q(participation__in=Participation.values), name="chatbot_source_participation"
            ),
            models.CheckConstraint(
                condition=Q(weight=0) | Q(weight__lte=100, participation=Participation.SHARES),
                name="chatbot_source_weight",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_kind.label}: {self.get_participation_display()}"

    @property
    def source_kind(self) -> SourceKind:
        return get_kind(self.kind)

    @property
    def is_allowed(self) -> bool:
        """Whether the school allows its kind. What the school withdraws keeps its row."""
        return self.source_kind.is_allowed_for(self.chatbot.school)

    @property
    def shares(self) -> bool:
        return self.participation == Participation.SHARES

    @property
    def fills_in(self) -> bool:
        return self.participation == Participation.FILLS_IN


@build_once(UUID(int=1))
def _fetch_sources(chatbot: UUID) -> models.QuerySet[ChatbotSource]:
    return ChatbotSource.objects.filter(chatbot=chatbot).order_by("kind")


class ChatbotPersonalDocLink(SchoolOwned):
    """A personal document that a chatbot may read."""

    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="personal_links", db_constraint=False)
    document = models.ForeignKey(
        PersonalDocument, on_delete=models.CASCADE, related_name="chatbot_links", db_constraint=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["ChatbotPersonalDocLink"].as_manager()

    class Meta:
        constraints = [
            SameSchool(field="chatbot", name="personal_link_chatbot"),
            SameSchool(field="document", name="personal_link_document"),
            models.UniqueConstraint(fields=["chatbot", "document"], name="personal_link_once"),
        ]


class ChatbotSchoolDocLink(SchoolOwned):
    """A library document that a chatbot may read. A change takes effect with the next question (L2)."""

    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="school_links", db_constraint=False)
    document = models.ForeignKey(
        SchoolDocument, on_delete=models.CASCADE, related_name="chatbot_links", db_constraint=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["ChatbotSchoolDocLink"].as_manager()

    class Meta:
        constraints = [
            SameSchool(field="chatbot", name="school_link_chatbot"),
            SameSchool(field="document", name="school_link_document"),
            models.UniqueConstraint(fields=["chatbot", "document"], name="school_link_once"),
        ]
