"""Pupils: joining, coming back, and whether one may do anything now."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from chatbots.models import Chatbot, Participant
from classrooms.joining.codes import hash_pupil_code, make_pupil_code
from classrooms.joining.nicknames import NICKNAMES
from classrooms.models import ClassLink, ClassState, Pupil, RealName
from plugins import is_on

MAX_PUPILS = 500
"""Pupils of one class: a code that got abroad does not fill the database."""
MAX_ANSWERS = 300
"""Practice questions that a pupil answers a day, more than anybody does by hand."""


class JoinRefused(Exception):
    """Nobody can join like this; the message says why."""


@dataclass(frozen=True)
class JoinResult:
    pupil: Pupil
    code: str
    """The code to come back, which is shown once."""


def join(link: ClassLink, nickname: str) -> JoinResult:
    """A new pupil of this nickname. Raises JoinRefused if it is taken or not in the list."""
    if nickname not in NICKNAMES:
        raise JoinRefused("Choose one of the names in the list.")
    code = make_pupil_code()
    try:
        with transaction.atomic():
            ClassLink.objects.select_for_update(no_key=True).filter(pk=link.pk).values("pk").first()  # count and store
            if link.pupils.count() >= MAX_PUPILS:
                raise JoinRefused("This class is full. Tell your teacher.")
            participant = Participant.objects.create(school_id=link.school_id)
            pupil = Pupil.objects.create(
                school_id=link.school_id,
                class_link=link,
                participant=participant,
                nickname=nickname,
                code_digest=hash_pupil_code(code),
                key=_new_key(),
            )
    except IntegrityError:
        raise JoinRefused(f"Somebody else has just become “{nickname}”. Choose another name.") from None
    return JoinResult(pupil, code)


def return_by_code(link: ClassLink, code: str) -> Pupil | None:
    return link.pupils.filter(code_digest=hash_pupil_code(code)).first()


def change_pupil_code(pupil: Pupil) -> str:
    """A new code for a pupil who has lost theirs; the old one and all browsers end. Returns the code."""
    code = make_pupil_code()
    pupil.code_digest, pupil.key = hash_pupil_code(code), _new_key()
    pupil.save(update_fields=["code_digest", "key"])
    return code


def set_paused(pupil: Pupil, *, is_paused: bool) -> None:
    """Pause one pupil, or let them go on."""
    pupil.paused_at = timezone.now() if is_paused else None
    pupil.save(update_fields=["paused_at"])


def note_real_name(pupil: Pupil, name: str) -> None:
    """Note who a pupil is; forget it with an empty name."""
    if name := " ".join(name.replace("\0", "").split())[:120]:
        RealName.objects.update_or_create(school_id=pupil.school_id, pupil=pupil, defaults={"name": name})
    else:
        RealName.objects.filter(pupil=pupil).delete()


def note_seen(pupil: Pupil) -> None:
    """Remember that a pupil is here, at most every 20 s."""
    now = timezone.now()
    if now - pupil.seen_at > timedelta(seconds=20):
        Pupil.objects.filter(pk=pupil.pk).update(seen_at=now)


def list_askable_chatbots(link: ClassLink) -> QuerySet[Chatbot]:
    """The chatbots that pupils of the class may ask now, by name. Tutors need the plug-in of study plans."""
    chatbots = Chatbot.objects.kept().filter(opened_to__class_link=link).order_by("name", "pk")
    return chatbots if is_on("learning") else chatbots.filter(is_tutor=False)


def get_pupil_state(pupil: Pupil) -> ClassState:
    link = pupil.class_link
    if link.is_switched_off():
        return ClassState.SWITCHED_OFF
    state = link.state()
    return ClassState.PAUSED if pupil.paused_at and state == ClassState.OPEN else state


def _new_key() -> str:
    return secrets.token_urlsafe(16)
