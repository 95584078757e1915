"""Unanswered questions: what the sources of a teacher’s chatbots gave no answer to, so that something can be done.

There is no row for a gap: it is a question whose answer that counts is a refusal, whether nothing was found or the
model found no answer in what was. It goes with its message, and is not listed when its conversation is deleted, nor
when the same question was answered since, there or in another conversation.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from chatbots.answering.explanations import Near, closest
from chatbots.answering.retrieval import retrieve
from chatbots.answering.source_selection import sources_for
from chatbots.conversations import services
from chatbots.models import Chatbot, Message, MessageQuerySet, MessageStatus, Mode
from engines.function_words import FUNCTION_WORDS
from engines.words import Stems
from schools.models import Membership

LOOKED_AT = 500
"""The newest refusals, which are grouped and listed."""
ALIKE = 0.8
"""The share of stems, of those that two questions have together, from which they are one gap."""


@dataclass
class Gap:
    """One question of a chatbot, as it was asked last, with all refusals of it, the newest first."""

    messages: list[Message]
    stems: frozenset[str]

    @property
    def newest(self) -> Message:
        return self.messages[0]

    @property
    def near(self) -> Near | None:
        """What came closest to a place the last time."""
        return closest(self.newest.chosen)

    @property
    def was_found(self) -> bool:
        """Whether passages were found, in which the model saw no answer."""
        return bool(self.newest.chosen.get("pools")) and any(
            pool["taken"] for pool in self.newest.chosen["pools"]
        )

    @property
    def can_be_answered_in_place(self) -> bool:
        """Whether its conversation ends with it; else it is asked again in a new one."""
        return services.is_last(self.newest.version_of or self.newest)

    @property
    def tried(self) -> dict[str, Any]:
        """How the last try went, if there was one: see `try_again`."""
        found: dict[str, Any] = self.newest.tried
        return found


def refusals(member: Membership) -> MessageQuerySet:
    """The questions to the member’s own chatbots whose answer that counts is a refusal."""
    mine = Message.objects.for_member(member).filter(chat__chatbot__owner=member.user_id)
    return mine.from_sources().one_each().filter(status=MessageStatus.DONE, mode=Mode.REFUSED)


def counts(member: Membership) -> Counter[UUID]:
    """How many open questions each chatbot has, as many as are listed."""
    return Counter(chatbot_of(gap.newest).pk for gap in listed(member))


def chatbot_of(message: Message) -> Chatbot:
    """That of a refusal, which has one: it is about a chatbot's sources."""
    chatbot = message.chat.chatbot
    assert chatbot is not None
    return chatbot


def listed(member: Membership, *, chatbot: UUID | None = None, dismissed: bool = False) -> list[Gap]:
    """The gaps of the member’s chatbots, or of one, the latest first; those dismissed, on demand."""
    rows = refusals(member).filter(dismissed_at__isnull=not dismissed)
    if chatbot:
        rows = rows.filter(chat__chatbot=chatbot)
    newest = (
        rows.select_related("chat__chatbot__school")
        .defer("search", "chat__search")
        .order_by("-created_at", "-pk")[:LOOKED_AT]
    )
    gaps = grouped(list(newest))
    return gaps if dismissed else _without_answered(gaps, member)


def grouped(messages: list[Message]) -> list[Gap]:
    """These messages by what they ask: of one chatbot, in the same words or nearly so. Order is kept."""
    gaps: dict[UUID, list[Gap]] = {}
    stemmers: dict[str, Stems] = {}
    for message in messages:
        chatbot = chatbot_of(message)
        stemmer = stemmers.setdefault(chatbot.language, Stems(chatbot.language))
        stems = content_stems(asked(message), chatbot.language, stemmer)
        known = gaps.setdefault(chatbot.pk, [])
        same = next((gap for gap in known if _is_alike(stems, gap.stems)), None)
        if same:
            same.messages.append(message)
        else:
            known.append(Gap([message], stems))
    found = [gap for of_chatbot in gaps.values() for gap in of_chatbot]
    return sorted(found, key=lambda gap: gap.newest.created_at, reverse=True)


def group_of(member: Membership, message: Message) -> Gap:
    """The gap to which a refusal belongs, among those that are dismissed as it is, or not."""
    dismissed = message.dismissed_at is not None
    every = listed(member, chatbot=message.chat.chatbot_id, dismissed=dismissed)
    return next((gap for gap in every if message in gap.messages), Gap([message], frozenset()))


def dismiss(gap: Gap) -> None:
    """Take a gap off the list. The same question asked once more is listed again."""
    _set_dismissed(gap, timezone.now())


def reopen(gap: Gap) -> None:
    _set_dismissed(gap, None)


def try_again(gap: Gap) -> bool:
    """Search for the question once more, without an answer, and keep what came of it with its newest message.

    False, and nothing is kept, where a source could not be searched. Raises engines.errors.EmbeddingUnavailable.
    """
    message = gap.newest
    chatbot = chatbot_of(message)
    found = retrieve(asked(message), sources_for(chatbot), places=chatbot.places)
    if found.unavailable:
        return False
    then = set(message.sources.values_list("document_id", "version", "position"))
    now = {(p.passage.document_id, p.passage.version, p.passage.position) for p in found.placed}
    best = max(found.placed, key=lambda placed: placed.passage.relevance, default=None)
    message.tried = {
        "at": timezone.now().isoformat(),
        "found": best is not None,
        "same": bool(now) and now <= then,
        "percent": round(100 * best.passage.relevance) if best else 0,
        "title": best.passage.document_title if best else "",
    }
    Message.objects.filter(pk=message.pk).update(tried=message.tried)
    return True


def asked(message: Message) -> str:
    """What is searched for: the question as it stands alone."""
    return message.searched_for or message.question


def content_stems(text: str, language: str, stemmer: Stems) -> frozenset[str]:
    """The stems of a text but for function words; all of them where there is nothing else."""
    every = {stem for stem in stemmer.of(text) if len(stem) > 1 or not stem.isascii()}  # not the s of sun’s
    content = every - stemmer.of(" ".join(FUNCTION_WORDS.get(language[:2], ())))
    return frozenset(content or every)


def _without_answered(gaps: list[Gap], member: Membership) -> list[Gap]:
    """Without those whose question was answered since, in whichever conversation."""
    if not gaps:
        return []
    since = min(gap.newest.created_at for gap in gaps)
    chatbots = [chatbot_of(gap.newest) for gap in gaps]
    languages = {chatbot.pk: chatbot.language for chatbot in chatbots}
    answered = Message.objects.for_member(member).filter(
        chat__chatbot__in=languages,
        created_at__gt=since,
        status=MessageStatus.DONE,
        mode__in=(Mode.GROUNDED, Mode.GENERAL),
    )
    stemmers = {language: Stems(language) for language in languages.values()}
    later = [
        (chatbot, at, content_stems(searched or question, languages[chatbot], stemmers[languages[chatbot]]))
        for chatbot, at, searched, question in answered.order_by("-created_at").values_list(
            "chat__chatbot", "created_at", "searched_for", "question"
        )[:LOOKED_AT]
    ]
    return [
        gap
        for gap in gaps
        if not any(
            chatbot == gap.newest.chat.chatbot_id
            and at > gap.newest.created_at
            and _is_alike(stems, gap.stems)
            for chatbot, at, stems in later
        )
    ]


def _is_alike(stems: frozenset[str], others: frozenset[str]) -> bool:
    return stems == others or len(stems & others) >= ALIKE * len(stems | others) > 0


def _set_dismissed(gap: Gap, at: Any) -> None:
    Message.objects.filter(pk__in=[message.pk for message in gap.messages]).update(dismissed_at=at)
