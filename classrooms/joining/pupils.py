"""Pupils: joining, coming back, and what one may do now."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from chatbots.conversations import asking
from chatbots.models import Channel, Chat, Chatbot, Message, Participant
from classrooms.flagging import check_question
from classrooms.joining.codes import digest_of, new_pupil_code
from classrooms.joining.nicknames import NICKNAMES
from classrooms.models import ClassLink, ClassState, Pupil

SEEN_EVERY = timedelta(seconds=20)
MOST_PUPILS = 500
"""Pupils of one class: a code that got abroad does not fill the database."""
MOST_ANSWERS = 300
"""Practice questions that a pupil answers a day, more than anybody does by hand."""


class JoinRefused(Exception):
    """Nobody can join like this; the message says why."""


@dataclass(frozen=True)
class Joined:
    pupil: Pupil
    code: str
    """The code to come back, which is shown once."""


def join(link: ClassLink, nickname: str) -> Joined:
    """A new pupil of this nickname. Raises JoinRefused if it is taken or not in the list."""
    if nickname not in NICKNAMES:
        raise JoinRefused("Choose one of the names in the list.")
    code = new_pupil_code()
    try:
        with transaction.atomic():
            ClassLink.objects.select_for_update(no_key=True).filter(pk=link.pk).values("pk").first()  # count and store
            if link.pupils.count() >= MOST_PUPILS:
                raise JoinRefused("This class is full. Tell your teacher.")
            participant = Participant.objects.create(school_id=link.school_id)
            pupil = Pupil.objects.create(
                school_id=link.school_id,
                class_link=link,
                participant=participant,
                nickname=nickname,
                code_digest=digest_of(code),
                key=_new_key(),
            )
    except IntegrityError:
        raise JoinRefused(f"Somebody else has just become “{nickname}”. Choose another name.") from None
    return Joined(pupil, code)


def come_back(link: ClassLink, code: str) -> Pupil | None:
    """The pupil of the class who has this code."""
    return link.pupils.filter(code_digest=digest_of(code)).first()


def change_pupil_code(pupil: Pupil) -> str:
    """A new code for a pupil who has lost theirs; the old one and all browsers end. Returns the code."""
    code = new_pupil_code()
    pupil.code_digest, pupil.key = digest_of(code), _new_key()
    pupil.save(update_fields=["code_digest", "key"])
    return code


def set_paused(pupil: Pupil, *, is_paused: bool) -> None:
    """Pause one pupil, or let them go on."""
    pupil.paused_at = timezone.now() if is_paused else None
    pupil.save(update_fields=["paused_at"])


def note_seen(pupil: Pupil) -> None:
    """Remember that a pupil is here, at most every 20 s."""
    now = timezone.now()
    if now - pupil.seen_at > SEEN_EVERY:
        Pupil.objects.filter(pk=pupil.pk).update(seen_at=now)


def askable(link: ClassLink) -> list[Chatbot]:
    """The chatbots that pupils of the class may ask now, by name."""
    return list(Chatbot.objects.kept().filter(opened_to__class_link=link).order_by("name", "pk"))


def asked_today(pupil: Pupil) -> int:
    """Questions of the pupil since midnight. Another answer to the same question counts as well."""
    return Message.objects.filter(chat__participant=pupil.participant_id, created_at__gte=midnight()).count()


def midnight() -> datetime:
    """When today began."""
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def ask(
    *, pupil: Pupil, chatbot: Chatbot, question: str, chat: Chat | None = None, message_id: UUID | None = None
) -> Message:
    """Store a pupil's question. Raises QuestionRefused, also when the day's questions are used up."""
    link = pupil.class_link
    with transaction.atomic():
        if not _may_ask(pupil):
            mine = Message.objects.filter(chat__participant=pupil.participant_id)
            if message_id and (already := mine.filter(pk=message_id).first()):
                return already
            raise asking.QuestionRefused(
                f"You have asked your {link.questions_a_day} questions for today. You can ask again tomorrow."
            )
        message = asking.ask_as_guest_once(
            chatbot=chatbot, participant=pupil.participant, question=question, chat=chat, message_id=message_id
        )
        if not message.is_finished and not message.flags.exists():
            check_question(message)
    return message


@transaction.atomic
def ask_again(pupil: Pupil, message: Message) -> Message:
    """Another answer to a question, or this one when the day's are used up. Raises Message.DoesNotExist."""
    return asking.ask_again(message=message, channel=Channel.CLASS) if _may_ask(pupil) else message


def _may_ask(pupil: Pupil) -> bool:
    """Whether questions are left for today. Until the transaction ends nobody else stores one of this pupil."""
    Pupil.objects.select_for_update(no_key=True).filter(pk=pupil.pk).values("pk").first()
    return asked_today(pupil) < pupil.class_link.questions_a_day


def state_of(pupil: Pupil) -> ClassState:
    """The state of the class for this pupil."""
    link = pupil.class_link
    if link.is_switched_off():
        return ClassState.SWITCHED_OFF
    state = link.state()
    return ClassState.PAUSED if pupil.paused_at and state == ClassState.OPEN else state


def _new_key() -> str:
    return secrets.token_urlsafe(16)
