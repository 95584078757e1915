"""The unanswered questions of a teacher’s chatbots.

An unanswered question has no row of its own. It is a question whose newest finished answer is a refusal: nothing
was found, or the model saw no answer in the passages. It is not listed when its conversation is deleted, or when
the same question was answered later, in any conversation.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from chatbots.answering.explanations import Near, find_closest
from chatbots.answering.source_selection import select_sources
from chatbots.answering.standalone_search import search_standalone
from chatbots.conversations import asking
from chatbots.models import Chatbot, Message, MessageQuerySet, MessageStatus, Mode
from corpus.certainty import get_passage_level
from schools.models import Membership
from text.function_words import content_stems

MAX_REFUSALS = 500
"""Only the newest refusals are grouped and listed."""
MIN_SIMILARITY = 0.8
"""Two questions are the same from this Jaccard similarity of their stems."""


@dataclass
class UnansweredQuestion:
    """One question to a chatbot with all its refusals, the newest first."""

    messages: list[Message]
    stems: set[str]

    @property
    def newest(self) -> Message:
        return self.messages[0]

    @property
    def near(self) -> Near | None:
        """The nearest miss of the last refusal."""
        return find_closest(self.newest.chosen)

    @property
    def was_found(self) -> bool:
        """Whether passages were found but the model saw no answer in them."""
        return bool(self.newest.chosen.get("pools")) and any(pool["taken"] for pool in self.newest.chosen["pools"])

    @property
    def can_be_answered_in_place(self) -> bool:
        """Whether it is the last question of its conversation; else it is asked again in a new one."""
        return asking.is_last(self.newest.version_of or self.newest)

    @property
    def tried(self) -> dict[str, object]:
        """The result of the last `search_again`; empty if there was none."""
        found: dict[str, Any] = self.newest.tried
        return found


def list_refused_messages(member: Membership) -> MessageQuerySet:
    """The questions to the member’s own chatbots whose newest finished answer is a refusal."""
    mine = Message.objects.for_member(member).filter(chat__chatbot__owner=member.user_id)
    return mine.about_all_sources().one_each().filter(status=MessageStatus.DONE, mode=Mode.REFUSED)


def count_by_chatbot(member: Membership) -> Counter[UUID]:
    """The number of listed questions by chatbot."""
    return Counter(get_chatbot(question.newest).pk for question in list_unanswered(member))


def get_chatbot(message: Message) -> Chatbot:
    """The chatbot of a message that is not about a selected text."""
    chatbot = message.chat.chatbot
    assert chatbot is not None
    return chatbot


def list_unanswered(
    member: Membership, *, chatbot: UUID | None = None, dismissed: bool = False
) -> list[UnansweredQuestion]:
    """Unanswered questions of the member’s chatbots, or of one, the latest first; or the `dismissed` ones."""
    rows = list_refused_messages(member).filter(dismissed_at__isnull=not dismissed)
    if chatbot:
        rows = rows.filter(chat__chatbot=chatbot)
    newest = (
        rows.select_related("chat__chatbot__school")
        .defer("search", "chat__search")
        .order_by("-created_at", "-pk")[:MAX_REFUSALS]
    )
    questions = group_by_question(list(newest))
    return questions if dismissed else _without_answered(questions, member)


def group_by_question(messages: list[Message]) -> list[UnansweredQuestion]:
    """Group messages to the same chatbot with the same or nearly the same words; the latest question first."""
    questions: dict[UUID, list[UnansweredQuestion]] = {}
    for message in messages:
        chatbot = get_chatbot(message)
        stems = content_stems(search_text(message), chatbot.language)
        known = questions.setdefault(chatbot.pk, [])
        same = next((question for question in known if _is_alike(stems, question.stems)), None)
        if same:
            same.messages.append(message)
        else:
            known.append(UnansweredQuestion([message], stems))
    found = [question for of_chatbot in questions.values() for question in of_chatbot]
    return sorted(found, key=lambda question: question.newest.created_at, reverse=True)


def find_group(member: Membership, message: Message) -> UnansweredQuestion:
    """The unanswered question to which a refusal belongs."""
    dismissed = message.dismissed_at is not None
    every = list_unanswered(member, chatbot=message.chat.chatbot_id, dismissed=dismissed)
    alone = UnansweredQuestion([message], set())
    return next((question for question in every if message in question.messages), alone)


def set_dismissed(question: UnansweredQuestion, *, is_dismissed: bool) -> None:
    """Take a question off the list, or list it again. If a dismissed question is asked again, it is listed again."""
    at = timezone.now() if is_dismissed else None
    Message.objects.filter(pk__in=[message.pk for message in question.messages]).update(dismissed_at=at)


def search_again(question: UnansweredQuestion) -> bool:
    """Search for the question again, without an answer, and store the result with its newest message.

    False if a source could not be searched: nothing is stored then. Raises engines.errors.EmbeddingUnavailable.
    """
    message = question.newest
    chatbot = get_chatbot(message)
    sources = select_sources(chatbot)
    _, found = search_standalone(search_text(message), sources, language=chatbot.language, places=chatbot.places)
    if found.unavailable:
        return False
    then = set(message.sources.values_list("document_id", "version", "position"))
    now = {(p.passage.document_id, p.passage.version, p.passage.position) for p in found.placed}
    best = max(found.placed, key=lambda placed: placed.passage.relevance, default=None)
    message.tried = {
        "at": timezone.now().isoformat(),
        "found": best is not None,
        "same": bool(now) and now <= then,
        "level": get_passage_level(best.passage) if best else "",
        "title": best.passage.document_title if best else "",
    }
    Message.objects.filter(pk=message.pk).update(tried=message.tried)
    return True


def search_text(message: Message) -> str:
    """What is searched for: the standalone question."""
    return message.searched_for or message.question


def _without_answered(questions: list[UnansweredQuestion], member: Membership) -> list[UnansweredQuestion]:
    """Remove questions that were answered later in any conversation."""
    if not questions:
        return []
    since = min(question.newest.created_at for question in questions)
    chatbots = [get_chatbot(question.newest) for question in questions]
    languages = {chatbot.pk: chatbot.language for chatbot in chatbots}
    answered = Message.objects.for_member(member).filter(
        chat__chatbot__in=languages,
        created_at__gt=since,
        status=MessageStatus.DONE,
        mode__in=(Mode.GROUNDED, Mode.GENERAL),
    )
    later = [
        (chatbot, at, content_stems(searched or question, languages[chatbot]))
        for chatbot, at, searched, question in answered.order_by("-created_at").values_list(
            "chat__chatbot", "created_at", "searched_for", "question"
        )[:MAX_REFUSALS]
    ]
    return [
        question
        for question in questions
        if not any(
            chatbot == question.newest.chat.chatbot_id
            and at > question.newest.created_at
            and _is_alike(stems, question.stems)
            for chatbot, at, stems in later
        )
    ]


def _is_alike(stems: set[str], others: set[str]) -> bool:
    return stems == others or len(stems & others) >= MIN_SIMILARITY * len(stems | others) > 0
