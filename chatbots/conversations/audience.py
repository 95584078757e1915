"""Who asks: what they may ask and read, and how the pages of a conversation differ for them.

A member is one audience. An app that lets in guests has a policy of its own for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, cast
from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from chatbots.conversations.thread import ShownExchange, select_versions
from chatbots.models import Channel, Chat, Chatbot, Message, MessageQuerySet, Participant
from schools.built_once import build_once
from schools.models import Membership

M = TypeVar("M", bound=Model)
Select = Callable[[Any, Any], QuerySet[M]]
"""A query for a policy and a key."""


class AudiencePolicy(ABC):
    """What one participant may ask, read and be shown."""

    app = "chatbots"
    """Whose routes and templates their pages use."""
    base_template = "base.html"
    routes: Mapping[str, str] = {}
    """Names of routes that differ from those that pages use."""
    route_args: tuple[str, ...] = ()
    channel = Channel.WEB
    may_repeat = True
    """Whether a question that has an answer may be answered again."""
    cites, holds = True, False
    """Whether a text has its citations while it is written, and whether nothing is shown before it is checked."""
    lost = ""
    """What they read when they lose access to an answer that they follow, if not the usual words."""

    @abstractmethod
    def get_participant(self) -> Participant: ...

    def find_asker(self, chatbot: Chatbot) -> Participant | None:
        """Return them as who asks this chatbot; None if they may not any more."""
        return self.get_participant() if self.get_chatbots().filter(pk=chatbot.pk).exists() else None

    @abstractmethod
    def identify(self) -> dict[str, Any]:
        """Return the fields of a `streaming.access.Subscriber` by which their access is checked again and again."""

    @abstractmethod
    def get_chatbots(self) -> QuerySet[Chatbot]:
        """Return the chatbots that they may ask now."""

    @abstractmethod
    def get_chats(self) -> QuerySet[Chat]:
        """Return the conversations that they may read and go on with."""

    @abstractmethod
    def get_messages(self) -> MessageQuerySet:
        """Return the answers that they may read."""

    def fetch(self, select: Select[M], key: UUID | None) -> list[M]:
        """Return what this selects for them."""
        return list(select(self, key))

    def take_quota(self) -> None:  # noqa: B027 - members have none
        """Let nobody else store a question of theirs until the transaction ends. Raises `asking.QuotaUsed`."""

    def check_question(self, message: Message) -> str:
        """Check a question in the transaction that stores it; return what is read instead of an answer, if held."""
        return ""

    def get_url(self, name: str, key: UUID) -> str:
        """Return the address of one of their pages."""
        return reverse(f"{self.app}:{self.routes.get(name, name)}", args=[*self.route_args, key])

    def get_template(self, name: str) -> str:
        return f"{self.app}/{name}.html"

    @property
    def exchange_template(self) -> str:
        return self.get_template("_exchange")

    def get_context(self) -> dict[str, object]:
        """Return what each of their pages and fragments needs."""
        return {"policy": self}

    def show(self, exchange: ShownExchange) -> dict[str, object]:
        """Return what the fragment of an exchange needs."""
        return self.get_context() | {"exchange": exchange, "message": exchange.message}

    def present(self, exchanges: Sequence[ShownExchange]) -> list[ShownExchange]:
        """Add to exchanges what only a page shows of them."""
        return list(exchanges)

    def describe_page(self, request: HttpRequest, chatbot: Chatbot, chat: Chat | None) -> dict[str, object]:
        """Return what the page of a conversation shows beside it."""
        return {}

    def disclose_readers(self, language: str) -> str:
        """Say by the composer who reads what they write; empty where they know."""
        return ""

    def explain_gone(self, message_id: UUID) -> str:
        """Say why an answer that they followed is not theirs to read any more; empty for nothing."""
        return self.lost


@dataclass(frozen=True)
class MemberPolicy(AudiencePolicy):
    """A member of the school, who asks own chatbots and those that colleagues share."""

    member: Membership
    session: str | None = field(default=None, kw_only=True)

    def get_participant(self) -> Participant:
        return Participant.objects.of(self.member)

    def find_asker(self, chatbot: Chatbot) -> Participant | None:
        if asker := chatbot.asker:  # it was just read with the chatbot
            member = self.member
            return Participant(pk=asker, school_id=member.school_id, user_id=member.user_id)
        return super().find_asker(chatbot)

    def identify(self) -> dict[str, Any]:
        return {"membership": self.member.pk, "session": self.session}

    def get_chatbots(self) -> QuerySet[Chatbot]:
        return Chatbot.objects.askable_by(self.member)

    def get_chats(self) -> QuerySet[Chat]:
        return Chat.objects.for_member(self.member)

    def get_messages(self) -> MessageQuerySet:
        return Message.objects.for_member(self.member)

    def fetch(self, select: Select[M], key: UUID | None) -> list[M]:
        """The same by SQL that is built once for each `select`."""
        fetch = cast("Callable[..., list[M]]", _build_once(select))
        return fetch(self.member.pk, self.member.user_id, self.member.school_id, key) if key else []


@cache
def _build_once(select: Select[Model]) -> Callable[..., list[Model]]:
    @build_once(-1, UUID(int=1), UUID(int=2), UUID(int=3))
    def build(member: int, user: UUID, school: UUID, key: UUID) -> QuerySet[Model]:
        return select(MemberPolicy(Membership(pk=member, user_id=user, school_id=school)), key)

    return build


def select_askable(policy: MemberPolicy, key: UUID) -> QuerySet[Chatbot]:
    return Chatbot.objects.visible_to(policy.member).for_asking(policy.member).filter(pk=key)


def select_chat(policy: AudiencePolicy, key: UUID) -> QuerySet[Chat]:
    return policy.get_chats().select_related("chatbot__school", "participant").filter(pk=key)


def select_answer(policy: AudiencePolicy, key: UUID) -> QuerySet[Message]:
    return policy.get_messages().filter(pk=key).only("pk", "version_of")


def select_answer_versions(policy: AudiencePolicy, first: UUID) -> QuerySet[Message]:
    return select_versions(policy.get_messages(), Message(pk=first))
