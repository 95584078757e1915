"""Chatbots, what they may read, and the conversations with them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

import uuid_utils.compat
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Case, F, Q, When, Window
from django.db.models.functions import Coalesce, RowNumber
from django.utils import timezone

from chatbots.words import words_of
from corpus.passages import SourceKind
from corpus.places import where
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.constraints import SameSchool
from schools.models import Membership, SchoolOwned
from schools.querysets import M, OwnedQuerySet, SchoolQuerySet

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class WithoutWords(models.Manager[M]):
    """Leaves the words for the search in the database: a conversation is read without them."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().defer("search")


class WhenUnsure(models.TextChoices):
    REFUSE = "refuse", "Say that the sources do not answer it"
    GENERAL = "general", "Answer from general knowledge, clearly marked"


class Language(models.TextChoices):
    ENGLISH = "en", "English"
    GERMAN = "de", "German"
    FRENCH = "fr", "French"
    SPANISH = "es", "Spanish"


class Chatbot(SchoolOwned):
    """A teacher's chatbot: instructions, the documents it may read and how its places are shared (H3, H4)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chatbots")
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=300, blank=True)
    instructions = models.TextField(max_length=4000, blank=True)
    subject = models.CharField(max_length=60, blank=True)
    language = models.CharField(max_length=2, choices=Language, default=Language.ENGLISH)
    personal_weight = models.PositiveSmallIntegerField(default=60, validators=[MaxValueValidator(100)])
    school_weight = models.PositiveSmallIntegerField(default=40, validators=[MaxValueValidator(100)])
    places = models.PositiveSmallIntegerField(
        default=5, validators=[MinValueValidator(1), MaxValueValidator(20)]
    )
    when_unsure = models.CharField(max_length=10, choices=WhenUnsure, default=WhenUnsure.REFUSE)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    personal_documents: models.ManyToManyField[PersonalDocument, ChatbotPersonalDocLink] = (
        models.ManyToManyField(PersonalDocument, through="ChatbotPersonalDocLink", related_name="chatbots")
    )
    school_documents: models.ManyToManyField[SchoolDocument, ChatbotSchoolDocLink] = models.ManyToManyField(
        SchoolDocument, through="ChatbotSchoolDocLink", related_name="chatbots"
    )

    objects = OwnedQuerySet["Chatbot"].as_manager()

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="chatbot_school"),
            models.CheckConstraint(
                condition=Q(personal_weight__lte=100, school_weight=100 - F("personal_weight")),
                name="chatbot_weights_add_up_to_100",
                violation_error_message="The two weights must add up to 100.",
            ),
            models.CheckConstraint(
                condition=Q(places__gte=1, places__lte=20),
                name="chatbot_places_1_to_20",
                violation_error_message="A chatbot has between 1 and 20 places.",
            ),
            models.CheckConstraint(
                condition=Q(when_unsure__in=WhenUnsure.values), name="chatbot_when_unsure"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ChatbotPersonalDocLink(SchoolOwned):
    """A document of the teacher's own that a chatbot may read."""

    chatbot = models.ForeignKey(
        Chatbot, on_delete=models.CASCADE, related_name="personal_links", db_constraint=False
    )
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
    """A document of the school's library that a chatbot may read. It takes effect with the next question (L2)."""

    chatbot = models.ForeignKey(
        Chatbot, on_delete=models.CASCADE, related_name="school_links", db_constraint=False
    )
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


class ChatQuerySet(OwnedQuerySet["Chat"]):
    def for_member(self, member: Membership) -> Self:
        return super().for_member(member).kept()

    def for_member_with_deleted(self, member: Membership) -> Self:
        """The door for deleting and for taking that back: it opens twice, as the buttons may be pressed twice."""
        return super().for_member(member)

    def kept(self) -> Self:
        return self.filter(deleted_at__isnull=True)

    def deleted(self) -> Self:
        return self.filter(deleted_at__isnull=False)


class Chat(SchoolOwned):
    """A conversation of one person with one chatbot.

    A deleted one stays behind every door, with all that is in it, until it is erased (`chatbots.deleting`).
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="chats", db_constraint=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="chats")
    title = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    search = models.GeneratedField(
        expression=words_of("title"), output_field=SearchVectorField(), db_persist=True
    )

    if TYPE_CHECKING:
        messages: RelatedManager[Message]

    objects = WithoutWords.from_queryset(ChatQuerySet)()

    class Meta:
        ordering = ["-updated_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="chat_school"),
            SameSchool(field="chatbot", name="chat_chatbot"),
        ]
        indexes = [
            models.Index(fields=["chatbot", "-updated_at"], name="chat_by_chatbot"),
            models.Index(fields=["deleted_at"], condition=Q(deleted_at__isnull=False), name="chat_deleted"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def day(self) -> date:
        """Under which it is listed."""
        return timezone.localdate(self.updated_at)

    @property
    def erased_after(self) -> datetime | None:
        return self.deleted_at and self.deleted_at + timedelta(days=settings.LECTERN_KEEP_DELETED_DAYS)


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


FIRST = Coalesce("version_of", "id", output_field=models.UUIDField())
"""The row that stands for the question."""


class MessageQuerySet(SchoolQuerySet["Message"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, chat__owner=member.user_id, chat__deleted_at__isnull=True)

    def unfinished(self) -> Self:
        return self.filter(status__in=UNFINISHED)

    def versions_of(self, message: Message) -> Self:
        """All answers to the question of a message, oldest first."""
        first = message.first_id
        return self.filter(Q(pk=first) | Q(version_of=first)).order_by("created_at", "pk")

    def newest(self) -> Self:
        """Without those after which the same question was answered again: what a page shows unless asked."""
        first = Coalesce(
            models.OuterRef("version_of"), models.OuterRef("pk"), output_field=models.UUIDField()
        )
        later = Message._default_manager.filter(
            version_of=first, created_at__gt=models.OuterRef("created_at")
        )
        return self.exclude(models.Exists(later))

    def one_each(self) -> Self:
        """Of every question the answer that counts: the newest one that is done, else the newest. In no order."""
        best = Window(
            RowNumber(),
            partition_by=FIRST,
            order_by=[
                Case(When(status=MessageStatus.DONE, then=0), default=1),
                F("created_at").desc(),
                F("pk").desc(),
            ],
        )
        counting = self.order_by().annotate(place=best).filter(place=1).values("pk")
        return Message._default_manager.filter(pk__in=counting)  # type: ignore[return-value]


class Message(SchoolOwned):
    """One exchange: a question and its answer, which exists as a row before a word of it is written.

    The answer belongs to the server: `answer` grows while it is written and `heartbeat_at` says that its writer
    lives, so that a reader who comes back finds the text so far and an abandoned one is swept to "interrupted".
    Another answer to the same question is a row of its own, a version of the first one; it never changes an earlier.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chat = models.ForeignKey(Chat, on_delete=models.CASCADE, related_name="messages", db_constraint=False)
    version_of = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="versions", db_constraint=False
    )
    question = models.TextField()
    searched_for = models.TextField(
        blank=True, default="", help_text="What was searched for instead, when it leans on the conversation"
    )
    answer = models.TextField(blank=True)
    status = models.CharField(max_length=12, choices=MessageStatus, default=MessageStatus.PENDING)
    mode = models.CharField(max_length=10, choices=Mode, blank=True)
    model = models.CharField(max_length=120, blank=True, help_text="What wrote the answer")
    unavailable = ArrayField(models.CharField(max_length=12), default=list, blank=True)
    notice = models.TextField(blank=True, help_text="What the reader is told beside the answer")
    support = models.JSONField(
        default=dict, blank=True, help_text="by place of the marker: its state, the number of a better source"
    )
    unfounded = models.JSONField(
        default=list, blank=True, help_text="start and end of numbers and names that stand in no source"
    )
    chosen = models.JSONField(
        default=dict, blank=True, help_text="how its passages were chosen: see chatbots.explaining"
    )
    dismissed_at = models.DateTimeField(
        null=True, blank=True, help_text="when its teacher took the refusal off the list"
    )
    tried = models.JSONField(
        default=dict, blank=True, help_text="of a refusal, what a later search found: see chatbots.gaps"
    )
    timings = models.JSONField(default=dict, blank=True, help_text="milliseconds")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    heartbeat_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    search = models.GeneratedField(
        expression=Case(When(finished_at__isnull=False, then=words_of("question", "answer"))),
        output_field=SearchVectorField(),
        db_persist=True,
        help_text="once it is finished: an answer is saved many times while it is written",
    )

    if TYPE_CHECKING:
        sources: RelatedManager[MessageSource]

    # Of a turn, when a page has asked: see chatbots.turns.
    shown_beside: Sequence[UUID] = ()  # all answers to its question that can be looked at, this one included
    is_last = False  # of its conversation

    objects = WithoutWords.from_queryset(MessageQuerySet)()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["school", "id"], name="message_school"),
            SameSchool(field="chat", name="message_chat"),
            SameSchool(field="version_of", name="message_version_of"),
            models.CheckConstraint(condition=Q(status__in=MessageStatus.values), name="message_status"),
            models.UniqueConstraint(
                FIRST, condition=Q(status__in=("pending", "writing")), name="message_written_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["heartbeat_at"],
                condition=Q(status__in=("pending", "writing")),
                name="message_unfinished",
            ),
            GinIndex(fields=["search"], name="message_words"),
        ]

    def __str__(self) -> str:
        return self.question[:60]

    @property
    def doubts(self) -> str:
        """What the check of its citations found wanting, in a sentence; empty where nothing is."""
        states = [state for state, _ in self.support.values()]
        parts = [
            f"{_counted(states.count('not found'), 'citation')} not found in the passage cited (✗)",
            f"{_counted(states.count('weak'), 'citation')} found only in part (?)",
            f"{_counted(len(self.unfounded), 'number or name', 'numbers or names')} in no passage (underlined)",
        ]
        found = [part for part in parts if not part.startswith("0 ")]
        return f"Check this answer: {', '.join(found)}." if found else ""

    @property
    def is_finished(self) -> bool:
        return self.status not in UNFINISHED

    @property
    def has_failed(self) -> bool:
        """Whether the answer came to an end that nobody wished."""
        return self.status in (MessageStatus.FAILED, MessageStatus.INTERRUPTED)

    @property
    def can_be_answered_again(self) -> bool:
        return self.has_failed or (self.is_last and self.is_finished)

    @property
    def first_id(self) -> UUID:
        """The id of the first answer to the same question, which stands for the question."""
        return self.version_of_id or self.pk


class Verdict(models.TextChoices):
    UP = "up", "Helpful"
    DOWN = "down", "Not helpful"


class Reason(models.TextChoices):
    """What is wrong with an answer that is not helpful."""

    CITATION = "citation", "Wrong citation"
    UNFOUNDED = "unfounded", "Not in the sources"
    UNCLEAR = "unclear", "Unclear"
    INCOMPLETE = "incomplete", "Incomplete"
    OTHER = "other", "Something else"


class Feedback(SchoolOwned):
    """What the person who asked thinks of an answer. The school's admins see figures of it only."""

    message = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="feedback", db_constraint=False
    )
    verdict = models.CharField(max_length=4, choices=Verdict)
    reason = models.CharField(max_length=12, choices=Reason, blank=True)
    words = models.CharField(max_length=500, blank=True)
    given_at = models.DateTimeField(auto_now=True)

    objects = SchoolQuerySet["Feedback"].as_manager()

    class Meta:
        verbose_name_plural = "feedback"
        constraints = [
            SameSchool(field="message", name="feedback_message"),
            models.CheckConstraint(condition=Q(verdict__in=Verdict.values), name="feedback_verdict"),
            models.CheckConstraint(
                condition=Q(verdict=Verdict.DOWN, reason__in=["", *Reason.values]) | Q(reason="", words=""),
                name="feedback_reason",
            ),
        ]

    def __str__(self) -> str:
        return (
            f"{self.get_verdict_display()}: {self.get_reason_display()}"
            if self.reason
            else self.get_verdict_display()
        )


class MessageSourceQuerySet(SchoolQuerySet["MessageSource"]):
    def for_member(self, member: Membership) -> Self:
        return self.filter(
            school=member.school_id,
            message__chat__owner=member.user_id,
            message__chat__deleted_at__isnull=True,
        )


class MessageSource(SchoolOwned):
    """A passage that was given to the answerer, as it stood then. No foreign key to the document: the record
    outlives it, so that an old answer can always be explained (C5)."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, related_name="sources", db_constraint=False
    )
    number = models.PositiveSmallIntegerField(help_text="the n of its [n]")
    kind = models.CharField(max_length=10, choices=[(kind.value, kind.label) for kind in SourceKind])
    also_in = ArrayField(models.CharField(max_length=300), default=list, blank=True)
    document_id = models.UUIDField(db_index=True)
    document_title = models.CharField(max_length=200)
    version = models.PositiveIntegerField()
    media_type = models.CharField(max_length=100, blank=True, default="", help_text="of the version")
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    line_start = models.PositiveIntegerField(null=True, blank=True)
    line_end = models.PositiveIntegerField(null=True, blank=True)
    position = models.PositiveIntegerField(help_text="of the chunk within the document's version")
    excerpt = models.TextField()
    text = models.TextField(help_text="the enclosing section, which the answerer read")
    relevance = models.FloatField(help_text="unweighted, between 0 and 1")
    weight = models.PositiveSmallIntegerField(help_text="percent")
    standing = models.JSONField(
        default=dict, blank=True, help_text="why it has its place: see chatbots.explaining"
    )
    is_cited = models.BooleanField(default=False)
    was_given = models.BooleanField(
        default=True, help_text="to the model: False where it did not fit its window"
    )
    is_recognised = models.BooleanField(default=False, help_text="from a scan: it may contain mistakes")

    has_become = ""  # of the document since, when a page has asked: see chatbots.opening.tell_changes

    objects = MessageSourceQuerySet.as_manager()

    class Meta:
        ordering = ["message", "number"]
        constraints = [
            SameSchool(field="message", name="source_message"),
            models.UniqueConstraint(fields=["message", "number"], name="source_number_once"),
            models.CheckConstraint(condition=Q(relevance__gte=0, relevance__lte=1), name="source_relevance"),
        ]

    def __str__(self) -> str:
        return f"[{self.number}] {self.document_title}"

    @property
    def where(self) -> str:
        """Where the passage stood, in the words of the document's format."""
        lines = (self.line_start, self.line_end) if self.line_start and self.line_end else None
        return where(self.heading_path, page=self.page, lines=lines, media_type=self.media_type)

    @property
    def percent(self) -> int:
        return round(self.relevance * 100)


class OfOwnChatbots(SchoolQuerySet[Any]):
    """Rows that hang on a chatbot: only its owner reaches them."""

    def for_member(self, member: Membership) -> Self:
        return self.filter(school=member.school_id, chatbot__owner=member.user_id)


class PinnedQuestion(SchoolOwned):
    """A test question: what a chatbot’s search should find for it, or that it should find nothing.

    No foreign key to the document, and the passage by its words: the question outlives both and says what it misses.
    """

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chatbot = models.ForeignKey(Chatbot, on_delete=models.CASCADE, related_name="pinned", db_constraint=False)
    question = models.TextField()
    is_refused = models.BooleanField(default=False, help_text="expected to be refused")
    kind = models.CharField(
        max_length=10, blank=True, choices=[(kind.value, kind.label) for kind in SourceKind]
    )
    document_id = models.UUIDField(null=True, blank=True, db_index=True)
    document_title = models.CharField(max_length=200, blank=True)
    excerpt = models.TextField(blank=True, help_text="empty where any passage of the document will do")
    place = models.TextField(blank=True, help_text="where the passage stood, for people")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now, help_text="earlier results do not count")

    objects = OfOwnChatbots.as_manager()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            SameSchool(field="chatbot", name="pinned_question_chatbot"),
            models.CheckConstraint(
                condition=Q(is_refused=True, document_id=None)
                | Q(is_refused=False, document_id__isnull=False),
                name="pinned_question_expects_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return self.question[:60]


class CheckRun(SchoolOwned):
    """How the test questions of a chatbot fared under one setup; run again under the same, it is written over."""

    id = models.UUIDField(primary_key=True, default=uuid_utils.compat.uuid7, editable=False)
    chatbot = models.ForeignKey(
        Chatbot, on_delete=models.CASCADE, related_name="check_runs", db_constraint=False
    )
    setup = models.JSONField(help_text="weights, places and documents at the time")
    results = models.JSONField(default=dict, help_text="by test question: see chatbots.checks")
    ran_at = models.DateTimeField(default=timezone.now)

    objects = OfOwnChatbots.as_manager()

    class Meta:
        ordering = ["-ran_at", "-id"]
        constraints = [SameSchool(field="chatbot", name="check_run_chatbot")]

    def __str__(self) -> str:
        return f"{self.chatbot} on {self.ran_at:%Y-%m-%d}"


class GivenPrompt(SchoolOwned):
    """What a language model was given for an answer, word for word. A table of its own: lists of messages are read
    often, these long texts seldom. There is none where no model was asked."""

    message = models.OneToOneField(
        Message, on_delete=models.CASCADE, related_name="given_prompt", db_constraint=False
    )
    turns = models.JSONField(help_text="role and content of each")
    answerer = models.CharField(max_length=120, help_text="the model")
    times = models.PositiveSmallIntegerField(
        default=1, help_text="how often it was asked, as its citations were wrong"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SchoolQuerySet["GivenPrompt"].as_manager()

    class Meta:
        constraints = [SameSchool(field="message", name="given_prompt_message")]

    def __str__(self) -> str:
        return f"Prompt for {self.answerer}"


def _counted(count: int, one: str, more: str = "") -> str:
    return f"{count} {one if count == 1 else more or one + 's'}"
