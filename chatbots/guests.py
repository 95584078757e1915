"""What plug-ins say of guests: participants without an account, such as the pupils of a class.

Each declares its rules as its hook `guests`. A guest of whom none says anything may read nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from uuid import UUID

from chatbots.models import Channel, Message, Participant
from plugins import load_hooks


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
    """`terms` of a participant, None for one that is no guest of this plug-in;
    `may_read`: which of these participants may still follow their answers; `ended` is
    called in the transaction that ends an answer to a guest, before anybody reads the whole of it; `withheld`: which
    messages of a conversation are no history for the next answer, since the guest was not shown them."""

    terms: Callable[[Participant], GuestTerms | None]
    may_read: Callable[[Collection[UUID]], set[UUID]]
    ended: Callable[[Message], None]
    withheld: Callable[[Message], set[UUID]]


def get_guest_terms(participant: Participant | None) -> GuestTerms:
    """The terms of a participant. Members, and the owner who tries something, are not restricted."""
    if participant is None or participant.user_id is not None:
        return GuestTerms()
    found = (rules.terms(participant) for rules in _load_rules())
    return next(filter(None, found), GuestTerms(kinds=frozenset()))


def filter_permitted_guests(participants: Collection[UUID]) -> set[UUID]:
    """Those of these participants without an account who may still read."""
    return set().union(*(rules.may_read(participants) for rules in _load_rules())) if participants else set()


def answer_ended(message: Message) -> None:
    """Tell the plug-ins of guests that an answer to one of them has ended, in the transaction that ends it."""
    if message.channel == Channel.CLASS:
        for rules in _load_rules():
            rules.ended(message)


def list_withheld_before(message: Message) -> set[UUID]:
    """The messages of the conversation that the next answer is not to be made from."""
    if message.channel != Channel.CLASS:
        return set()
    return set().union(*(rules.withheld(message) for rules in _load_rules()))


def _load_rules() -> list[GuestRules]:
    return load_hooks("guests")
