"""Pupils as an audience: what they may ask, read and see, and what answers to them are made of.

`may_read` says the same of many at once, for streams; `GUESTS` is the hook of this plug-in (chatbots.guests).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet, prefetch_related_objects
from django.http import HttpRequest
from django.utils import timezone

from chatbots.conversations.asking import QuotaUsed
from chatbots.conversations.audience import AudiencePolicy
from chatbots.conversations.thread import ShownExchange
from chatbots.guests import GuestRules, GuestTerms
from chatbots.models import Channel, Chat, Chatbot, Message, MessageQuerySet, Participant
from classrooms.disclosure import disclose_readers
from classrooms.flagging import check_answer, check_question, get_settings, list_withheld_in
from classrooms.joining.pupils import list_askable_chatbots
from classrooms.models import AnswerLength, ClassLink, ClassState, OnConcern, Pupil, SourcesShown

_LENGTHS = {
    AnswerLength.SHORT: "Answer in at most three short sentences.",
    AnswerLength.NORMAL: "",
    AnswerLength.FULL: "Answer in detail, step by step.",
}
_HINTS = (
    "The reader is a pupil. First give a hint and ask one question that leads on. Give the whole answer only when the "
    "pupil has tried or asks for it again."
)


@dataclass(frozen=True)
class PupilPolicy(AudiencePolicy):
    """A pupil, who asks the chatbots that are open to the class, so many times a day."""

    pupil: Pupil

    app, base_template = "classrooms", "classrooms/base.html"
    routes = {"ask": "chat", "ask-first": "new-chat"}
    channel = Channel.CLASS
    may_repeat = False
    lost = "Your class was paused or closed, or your teacher has paused you. Your question is kept."

    @property
    def link(self) -> ClassLink:
        return self.pupil.class_link

    @property
    def route_args(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.link.code,)

    @property
    def cites(self) -> bool:  # type: ignore[override]
        return self.link.sources_shown != SourcesShown.NONE

    @property
    def holds(self) -> bool:  # type: ignore[override]
        return get_settings(self.pupil.school).on_concern == OnConcern.HOLD

    def get_participant(self) -> Participant:
        return self.pupil.participant

    def identify(self) -> dict[str, Any]:
        return {"guest": self.pupil.participant_id}

    def get_chatbots(self) -> QuerySet[Chatbot]:
        return list_askable_chatbots(self.link)

    def get_chats(self) -> QuerySet[Chat]:
        """Without earlier ones those of today, so that a lesson can go on."""
        chats = Chat.objects.kept().filter(
            school=self.pupil.school_id, participant=self.pupil.participant_id, chatbot__in=self.get_chatbots()
        )
        return chats if self.link.shows_earlier else chats.filter(created_at__gte=_find_midnight())

    def get_messages(self) -> MessageQuerySet:
        return Message.objects.filter(school=self.pupil.school_id, chat__in=self.get_chats().values("pk"))

    def count_left(self) -> int:
        """How many questions are left for today. Another answer to the same question counts as well."""
        mine = Message.objects.filter(chat__participant=self.pupil.participant_id)
        return max(0, self.link.questions_a_day - mine.filter(created_at__gte=_find_midnight()).count())

    def take_quota(self) -> None:
        Pupil.objects.select_for_update(no_key=True).filter(pk=self.pupil.pk).values("pk").first()
        if not self.count_left():
            asked = f"You have asked your {self.link.questions_a_day} questions for today."
            raise QuotaUsed(f"{asked} You can ask again tomorrow.")

    def check_question(self, message: Message) -> str:
        return check_question(message)

    def get_context(self) -> dict[str, object]:
        return {"policy": self, "pupil": self.pupil, "link": self.link}

    def list_chats(self) -> list[Chat]:
        """Return the latest conversations."""
        return list(self.get_chats()[:20])

    def present(self, exchanges: Sequence[ShownExchange]) -> list[ShownExchange]:
        """Unfold what the pupil has asked the teacher about."""
        prefetch_related_objects([one.message for one in exchanges if one.is_folded], "raised_hand")
        shown = [
            replace(one, is_folded=False) if one.is_folded and hasattr(one.message, "raised_hand") else one
            for one in exchanges
        ]
        prefetch_related_objects([one.message for one in shown if not one.is_folded], "sources", "feedback")
        return shown

    def describe_page(self, request: HttpRequest, chatbot: Chatbot, chat: Chat | None) -> dict[str, object]:
        return {
            "chats": self.list_chats(),
            "has_more_chatbots": len(self.get_chatbots()) > 1,
            "left": self.count_left(),
            "may_practise": get_settings(self.pupil.school).allows_practice,
        }

    def disclose_readers(self, language: str) -> str:
        return disclose_readers(self.pupil.school, language)


def find_terms(participant: Participant) -> GuestTerms | None:
    """The terms of a pupil's class; None for a guest who is no pupil."""
    link = ClassLink.objects.filter(pupils__participant=participant).first()
    if link is None:
        return None
    told = [_LENGTHS[AnswerLength(link.answer_length)], _HINTS if link.hints_first else ""]
    return GuestTerms(
        kinds=None if link.kinds is None else frozenset(link.kinds),
        instructions=" ".join(filter(None, told)),
        hints_first=link.hints_first,
    )


def may_read(participants: Collection[UUID]) -> set[UUID]:
    """Those pupils who are not paused, of classes that are open now."""
    pupils = Pupil.objects.filter(
        participant__in=participants, paused_at=None, class_link__in=ClassLink.objects.usable()
    )
    return {
        one.participant_id for one in pupils.select_related("class_link") if one.class_link.state() == ClassState.OPEN
    }


GUESTS = GuestRules(terms=find_terms, may_read=may_read, ended=check_answer, withheld=list_withheld_in)


def _find_midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
