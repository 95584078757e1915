"""What another app says of guests: participants without an account, such as the pupils of a class.

The app registers its rules once, when it starts. Without rules a guest may read nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from uuid import UUID

from chatbots.models import Channel, Message, Participant


@dataclass(frozen=True)
class GuestTerms:
    """How a chatbot answers one guest.

    `kinds` are those of the sources that it may use, None for all. `instructions` are for a language model;
    `hints_first` concerns the answerer without one, which then quotes a beginning first.
    """

    kinds: frozenset[str] | None = None
    instructions: str = ""
    hints_first: bool = False


@dataclass(frozen=True)
class GuestRules:
    """`terms` of a participant; `may_read`: which of these participants may still follow their answers; `ended` is
    called in the transaction that ends an answer to a guest, before anybody reads the whole of it; `withheld`: which
    messages of a conversation are no history for the next answer, since the guest was not shown them."""

    terms: Callable[[Participant], GuestTerms]
    may_read: Callable[[Collection[UUID]], set[UUID]]
    ended: Callable[[Message], None]
    withheld: Callable[[Message], set[UUID]]


_rules: list[GuestRules] = []


def register_guests(rules: GuestRules) -> None:
    """Called once, when the app that lets guests in starts."""
    _rules[:] = [rules]


def terms_for(participant: Participant | None) -> GuestTerms:
    """The terms of a participant. Members, and the owner who tries something, are not restricted."""
    if participant is None or participant.user_id is not None:
        return GuestTerms()
    return _rules[0].terms(participant) if _rules else GuestTerms(kinds=frozenset())


def guests_who_may_read(participants: Collection[UUID]) -> set[UUID]:
    """Those of these participants without an account who may still read."""
    return _rules[0].may_read(participants) if _rules and participants else set()


def answer_ended(message: Message) -> None:
    """Tell the app of guests that an answer to one of them has ended, in the transaction that ends it."""
    if message.channel == Channel.CLASS and _rules:
        _rules[0].ended(message)


def withheld_before(message: Message) -> set[UUID]:
    """The messages of the conversation that the next answer is not to be made from."""
    return _rules[0].withheld(message) if message.channel == Channel.CLASS and _rules else set()
