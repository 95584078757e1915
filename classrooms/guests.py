"""What the answers to pupils are made of, and who may go on reading them: registered with `chatbots.guests`."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from chatbots.guests import GuestRules, GuestTerms, register_guests
from chatbots.models import Participant
from classrooms.flagging import check_answer, withheld_in
from classrooms.models import AnswerLength, ClassLink, ClassState, Pupil

_LENGTHS = {
    AnswerLength.SHORT: "Answer in at most three short sentences.",
    AnswerLength.NORMAL: "",
    AnswerLength.FULL: "Answer in detail, step by step.",
}
_HINTS = (
    "The reader is a pupil. First give a hint and ask one question that leads on. Give the whole answer only when the "
    "pupil has tried or asks for it again."
)


def terms_of(participant: Participant) -> GuestTerms:
    """The terms of a pupil's class. A guest who is no pupil may read nothing."""
    link = ClassLink.objects.filter(pupils__participant=participant).first()
    if link is None:
        return GuestTerms(kinds=frozenset())
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


def register() -> None:
    """Register these rules."""
    register_guests(GuestRules(terms=terms_of, may_read=may_read, ended=check_answer, withheld=withheld_in))
