"""What a page shows of a conversation: each question with one of its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, prefetch_related_objects
from django.db.models.functions import Coalesce

from chatbots.answering.prompt_record import keep_sources
from chatbots.models import Chat, Message, MessageQuerySet, MessageStatus
from schools.built_once import build_once

OPEN_EXCHANGES = 3
"""The last exchanges of a conversation, which are shown unfolded."""


@dataclass(frozen=True)
class ShownExchange:
    """A question with the answer to it that is shown."""

    message: Message
    versions: Sequence[UUID]
    """All answers to the question that can be looked at, this one included."""
    is_last: bool
    """Of its conversation."""
    changes: Mapping[UUID, str] = field(default_factory=dict)
    """What has become of the document of each source since: see `chatbots.citations.source_view.find_changes`."""
    is_folded: bool = False
    """Whether a page shows only the question, and fetches the rest when it is opened."""

    @property
    def can_be_answered_again(self) -> bool:
        return self.message.has_failed or (self.is_last and self.message.is_finished)


def load_thread(chat: Chat, chosen: UUID | None = None, *, folds: bool = False) -> list[ShownExchange]:
    """The newest answer to each question in order, to one of them the one that was chosen. With `folds` early ones are
    folded, unless they are looked for or being written, and come without their sources."""
    return _load(chat.messages.all(), chosen, unfolded=OPEN_EXCHANGES if folds else None)


def load_newer(message: Message, last: UUID | None) -> list[ShownExchange]:
    """The exchanges that a page lacks: this one, and before it those that were asked elsewhere after `last`, which is
    the last question that the page has."""
    last = last or message.pk
    missing = _fetch_missing(message.chat_id, message.created_at, last)
    if message.is_new and set(missing) <= {message.pk}:
        keep_sources(message, [])
        return [ShownExchange(message, [message.pk], is_last=True)]
    rows = Message.objects.filter(Q(pk__in=missing) | Q(version_of__in=missing) | Q(pk=message.pk))
    return _load(rows.select_related("chat__chatbot", "chat__participant"), None)


@build_once(UUID(int=1), datetime(2000, 1, 1, tzinfo=UTC), UUID(int=2))
def _fetch_missing(chat: UUID, until: datetime, last: UUID) -> QuerySet[Message, UUID]:
    questions = Message.objects.filter(chat=chat, version_of=None, created_at__lte=until)
    since = Coalesce(Subquery(questions.filter(pk=last).values("created_at")), until)
    return questions.filter(created_at__gte=since).exclude(pk=last).order_by().values_list("pk", flat=True)


def select_versions(among: MessageQuerySet, message: Message) -> MessageQuerySet:
    """What `load_exchange` shows of the answers to the question of a message."""
    later = Message.objects.filter(chat=OuterRef("chat"), version_of=None, created_at__gt=OuterRef("created_at"))
    rows = among.list_versions(message).select_related("chat__chatbot", "chat__participant")
    return rows.annotate(is_asked_on=Exists(later))


def load_exchange(
    message: Message, readable: Sequence[Message] | None = None, *, written: Message | None = None
) -> ShownExchange:
    """The same for one answer. `written` is its row with its sources, if this process has just finished it. Raises
    Message.DoesNotExist if it is not among those that are readable."""
    versions = list(select_versions(Message.objects.all(), message)) if readable is None else readable
    if message not in versions:
        if readable is not None:
            raise Message.DoesNotExist
        versions = [message]
    shown = _shown(versions, message.pk, is_last=not getattr(versions[0], "is_asked_on", False))
    if written and written.status == MessageStatus.DONE:
        keep_sources(shown.message, written.sources.all())
        shown.message._state.fields_cache["feedback"] = None
    else:
        prefetch_related_objects([shown.message], "sources", "feedback")
    return shown


def _load(messages: QuerySet[Message], chosen: UUID | None, *, unfolded: int | None = None) -> list[ShownExchange]:
    """The exchanges of these answers; the last of them is the last of its conversation."""
    answers: dict[UUID, list[Message]] = {}
    for message in messages.order_by("created_at", "pk"):
        answers.setdefault(message.first_id, []).append(message)
    last = next(reversed(answers), None)
    shown = [_shown(versions, chosen, is_last=first == last) for first, versions in answers.items()]
    for place, one in enumerate(shown[:-unfolded] if unfolded else ()):
        shown[place] = replace(one, is_folded=one.message.pk != chosen and one.message.is_finished)
    prefetch_related_objects([one.message for one in shown if not one.is_folded], "sources", "feedback")
    return shown


def _shown(versions: Sequence[Message], chosen: UUID | None, *, is_last: bool) -> ShownExchange:
    """The chosen one of these answers to one question, else the newest, with those that are worth a look."""
    shown = next((one for one in versions if one.pk == chosen), versions[-1])
    worth = [one.pk for one in versions if one.answer or one in (shown, versions[-1])]
    return ShownExchange(shown, worth, is_last)
