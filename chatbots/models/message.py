"""Questions and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from uuid import UUID

import uuid_utils.compat
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, When, Window
from django.db.models.functions import Coalesce, RowNumber
from django.template.defaultfilters import pluralize
from django.utils import timezone

from chatbots.models.chatbot import filter_reachable
from chatbots.models.collaborator import Collaborator
from chatbots.models.conversation import Chat
from chatbots.models.full_text import WithoutWords, build_text_vector
from corpus.source_kinds import MAX_KIND_LENGTH, SourceKind, get_kind
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import SchoolQuerySet

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

    from chatbots.models.source_snapshot import MessageSource


class MessageStatus(models.TextChoices):
    PENDING = "pending", "Searching"
    WRITING = "writing", "Writing"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    INTERRUPTED = "interrupted", "Interrupted"
    STOPPED = "stopped", "Stopped"


UNFINISHED = (MessageStatus.PENDING, MessageStatus.WRITING)


class Mode(models.TextChoices):
    """How an answer came about (C6)."""

    GROUNDED = "grounded", "From the sources"
    REFUSED = "refused", "Refused"
    GENERAL = "general", "General (no local cite)"
    SELECTION = "selection", "From the selected text only"
    MANNERS = "manners", "A friendly reply"


class Channel(models.TextChoices):
    """How a question was sent."""

    WEB = "web", "On the website"
    API = "api", "By the API"
    OPENAI = "openai", "By an OpenAI-compatible client"
    CLASS = "class", "By a pupil of a class"


FIRST = Coalesce("version_of", "id", output_field=models.UUIDField())
"""The id of the first answer, which identifies the question."""


class MessageQuerySet(SchoolQuerySet["Message"]):
    def for_member(self, member: Membership) -> Self:
        mine = self.filter(
            school=member.school_id, chat__participant__user=member.user_id, chat__deleted_at__isnull=True
        )
        return mine.filter(filter_reachable(member, "chat__chatbot"))

    def still_served(self) -> Self:
        """Those whose asker may still use the chatbot: it is not deleted, and is their own or shared with them."""
        shared = Collaborator.objects.filter(
            chatbot=OuterRef("chat__chatbot"), membership__user=OuterRef("chat__participant__user")
        )
        own = Q(chat__chatbot__owner=F("chat__participant__user")) | Q(chat__participant__user=None)
        return self.filter(
            Q(chat__chatbot=None) | Q(own | Exists(shared), chat__chatbot__deleted_at__isnull=True),
        )

    def unfinished(self) -> Self:
        return self.filter(status__in=UNFINISHED)

    def from_sources(self) -> Self:
        """Without questions about a selected text, which use no chatbot sources."""
        return self.filter(selection_hash="")

    def about_all_sources(self) -> Self:
        """The same, without questions about a single page."""
        return self.from_sources().filter(asked_page={})

    def list_versions(self, message: Message) -> Self:
        """All answers to the question of a message, oldest first."""
        first = message.first_id
        return self.filter(Q(pk=first) | Q(version_of=first)).order_by("created_at", "pk")

    def newest(self) -> Self:
        """Only the newest answer to each question: the one that pages show by default."""
        first = Coalesce(models.OuterRef("version_of"), models.OuterRef("pk"), output_field=models.UUIDField())
        later = Message._default_manager.filter(version_of=first, created_at__gt=models.OuterRef("created_at"))
        return self.exclude(models.Exists(later))

    def one_each(self) -> Self:
        """One answer per question: the newest that is done, else the newest. Unordered."""
        best = Window(
            RowNumber(),
            partition_by=FIRST,
            order_by=[Case(When(status=MessageStatus.DONE, then=0), default=1), F("created_at").desc(), F("pk").desc()],
        )
        counting = self.order_by().annotate(place=best).filter(place=1).values("pk")
        return Message._default_manager.filter(pk__in=counting)  # type: ignore[return-value]


class Message(SchoolOwned):
    """One exchange: a question and its answer. The row exists before the answer is written.

    The server writes the answer, not the reader's connection: `answer` grows meanwhile, and a row whose
    `heartbeat_at` is too old is marked as interrupted. Another answer to the same question is a row of its own, a
    version of the first one.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="messages", db_constraint=False)
    version_of = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="versions", db_constraint=False
    )
    question = models.TextField()
    searched_for = models.TextField(
        blank=True, default="", help_text="The rewritten query, if the question refers to the conversation"
    )
    selection_hash = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 of the selected text that the answer is restricted to"
    )
    asked_page = models.JSONField(
        default=dict, blank=True, help_text="kind, id and title of the page that the answer is restricted to"
    )
    answer = models.TextField(blank=True)
    reasoning = models.TextField(
        blank=True, default="", help_text="what the model thought before the answer, which it is no part of"
    )
    model_text = models.TextField(
        blank=True, default="", help_text="what the model wrote, if quotations have taken its place as the answer"
    )
    status = models.CharField(max_length=12, choices=MessageStatus, default=MessageStatus.PENDING)
    failure = models.CharField(
        max_length=12, blank=True, default="", help_text="What went wrong: the code of an EngineError, or fault"
    )
    mode = models.CharField(max_length=10, choices=Mode, blank=True)
    model = models.CharField(max_length=120, blank=True, help_text="What wrote the answer")
    channel = models.CharField(max_length=10, choices=Channel, default=Channel.WEB)
    unavailable = ArrayField(models.CharField(max_length=MAX_KIND_LENGTH), default=list, blank=True)
    notice = models.TextField(blank=True, help_text="Shown beside the answer")
    finish_reason = models.CharField(
        max_length=14, blank=True, default="", help_text="why the model stopped: see engines.llm.FINISH_REASONS"
    )
    support = models.JSONField(
        default=dict, blank=True, help_text="by position of the marker: its state and the number of a better source"
    )
    unfounded = models.JSONField(
        default=list, blank=True, help_text="start and end of numbers, names and sentences that no source contains"
    )
    chosen = models.JSONField(
        default=dict, blank=True, help_text="how its passages were chosen: see chatbots.answering.explanations"
    )
    dismissed_at = models.DateTimeField(null=True, blank=True, help_text="when the teacher dismissed the refusal")
    tried = models.JSONField(
        default=dict,
        blank=True,
        help_text="what a later search found for a refused question: see chatbots.insights.unanswered",
    )
    timings = models.JSONField(default=dict, blank=True, help_text="milliseconds")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    heartbeat_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    search = models.GeneratedField(
        expression=Case(When(finished_at__isnull=False, then=build_text_vector("question", "answer"))),
        output_field=SearchVectorField(),
        db_persist=True,
        help_text="only when finished: an unfinished answer is saved many times",
    )

    is_new = False
    """Whether it was stored a moment ago, as claimed by this process."""

    if TYPE_CHECKING:
        sources: RelatedManager[MessageSource]

    objects = WithoutWords.from_queryset(MessageQuerySet)()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="message_school"),
            SameSchool(field="chat", name="message_chat"),
            SameSchool(field="version_of", name="message_version_of"),
            models.CheckConstraint(condition=Q(status__in=MessageStatus.values), name="message_status"),
            models.UniqueConstraint(FIRST, condition=Q(status__in=("pending", "writing")), name="message_written_once"),
        ]
        indexes = [
            models.Index(fields=["school", "created_at"], name="message_school_created"),
            GinIndex(fields=["search"], name="message_words"),
        ]

    def __str__(self) -> str:
        return self.question[:60]

    @property
    def doubts(self) -> str:
        """The problems that the citation check found, as a sentence; empty if there are none."""
        states = [state for state, _ in self.support.values()]
        parts = [
            (states.count("not found"), "citation,citations", "not found in the passage cited (✗)"),
            (states.count("weak"), "citation,citations", "found only in part (?)"),
            (len(self.unfounded), "part,parts", "in no passage (underlined)"),
        ]
        found = [f"{count} {pluralize(count, nouns)} {what}" for count, nouns, what in parts if count]
        return f"Check this answer: {', '.join(found)}." if found else ""

    @property
    def is_about_selection(self) -> bool:
        """Whether it is answered from a selected text only."""
        return bool(self.selection_hash)

    @property
    def begins_chat(self) -> bool:
        """Whether it is the first answer of its conversation, and so has no history."""
        return self.version_of_id is None and self.created_at == self.chat.created_at

    def name_kind(self, value: str) -> SourceKind:
        """A kind of source in words for whoever asked."""
        chatbot, kind = self.chat.chatbot, get_kind(value)
        return kind.named_for(self.chat.participant.user_id, chatbot.owner_id) if chatbot else kind

    @property
    def is_finished(self) -> bool:
        return self.status not in UNFINISHED

    @property
    def has_failed(self) -> bool:
        """Whether the answer failed or was interrupted."""
        return self.status in (MessageStatus.FAILED, MessageStatus.INTERRUPTED)

    @property
    def first_id(self) -> UUID:
        """The id of the first answer, which identifies the question."""
        return self.version_of_id or self.pk
