"""Erase what pupils asked: of one pupil, of a class, and of all classes whose days are over.

The question log of the school keeps an entry of each answer without a name. Those of pupils go as well: erased means
that no word of theirs is left. `erased` is sent in the transaction, so that an app above certifies it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.signals import pre_delete
from django.dispatch import Signal

from chatbots.models import Chat, Chatbot, Message, Participant, QuestionLogEntry
from classrooms.models import GRAVE, ClassLink, ConcernMail, ErasedConcern, Flag, Pupil
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership

logger = logging.getLogger(__name__)

erased = Signal()
"""A pupil or a class was erased. Arguments: `sender`, which is Pupil or ClassLink; `subject`, its id; `school_id`;
`asked_by`, a Membership, or None for a pupil and for the night; `amount`, an Erased."""


@dataclass(frozen=True)
class Erased:
    """How much was erased."""

    pupils: int
    questions: int
    concerns: int = 0
    """Grave ones that the teacher had not seen: that they were there stays known, without a word of them."""


@transaction.atomic
def erase_pupil(pupil: Pupil, *, asked_by: Membership | None = None) -> Erased:
    """Erase a pupil with everything that they asked. Without `asked_by` they do it themselves."""
    subject, concerns = pupil.pk, _leave_traces(pupil, is_by_pupil=asked_by is None)
    amount = replace(_erase(Pupil.objects.filter(pk=pupil.pk)), concerns=concerns)
    _record(Action.PUPIL_ERASED, pupil.class_link, amount)
    erased.send(Pupil, subject=subject, school_id=pupil.school_id, asked_by=asked_by, amount=amount)
    return amount


@transaction.atomic
def erase_pupils(link: ClassLink) -> Erased:
    """Erase the pupils of a class with everything that they asked. The class link stays."""
    return _erase(Pupil.objects.filter(class_link=link))


@transaction.atomic
def erase_class(link: ClassLink, *, asked_by: Membership | None = None) -> Erased:
    """Erase a class with its pupils and everything that they asked. Without `asked_by` its days are over."""
    ClassLink.objects.select_for_update().filter(pk=link.pk).first()  # nobody joins meanwhile
    subject, amount = link.pk, _erase(Pupil.objects.filter(class_link=link))
    ClassLink.objects.filter(pk=link.pk).delete()
    _record(Action.CLASS_ERASED, link, amount)
    erased.send(ClassLink, subject=subject, school_id=link.school_id, asked_by=asked_by, amount=amount)
    return amount


def erase_old() -> int:
    """Erase the classes that have been kept for their days; returns how many."""
    return sum(_erase_due(key) for key in ClassLink.objects.due().values_list("pk", flat=True))


def _erase_due(key: UUID) -> bool:
    """Whether the class could be erased and was still due. One that cannot be keeps no other one."""
    try:
        with transaction.atomic():
            link = ClassLink.objects.due().select_for_update(of=("self",)).filter(pk=key).first()
            if link:
                erase_class(link)
            return link is not None
    except Exception:
        logger.exception("The class %s could not be erased", key)
        return False


def listen() -> None:
    """Erase the pupils of a class also where it goes with something else, such as the account of its teacher."""
    pre_delete.connect(_on_deleted, sender=ClassLink, dispatch_uid="classrooms.erasing")


def _on_deleted(sender: type[ClassLink], instance: ClassLink, **_: Any) -> None:
    erase_pupils(instance)


def _leave_traces(pupil: Pupil, *, is_by_pupil: bool) -> int:
    """Keep that something grave was found which the teacher has not seen, or of which a mail was not sent yet: that
    is written anew. Returns how many of them are unseen."""
    Pupil.objects.select_for_update().filter(pk=pupil.pk).first()  # nothing more is found meanwhile
    unsent = set(ConcernMail.objects.filter(flag__pupil=pupil).values_list("flag", flat=True))
    is_open = Q(seen_at=None) | Q(mailed_at=None) | Q(pk__in=unsent)
    traces = [
        ErasedConcern(
            school_id=pupil.school_id,
            class_link_id=pupil.class_link_id,
            category=flag.category,
            nickname=pupil.nickname,
            raised_at=flag.raised_at,
            is_by_pupil=is_by_pupil,
            seen_at=flag.seen_at,
            mailed_at=None if flag.pk in unsent else flag.mailed_at,
        )
        for flag in Flag.objects.filter(is_open, pupil=pupil, category__in=GRAVE)
    ]
    ErasedConcern.objects.bulk_create(traces)
    return sum(trace.seen_at is None for trace in traces)


def _record(action: Action, link: ClassLink, amount: Erased) -> None:
    """What is kept of them in the audit log: the class, and how much it was."""
    detail = {"pupils": amount.pupils, "questions": amount.questions}
    record(action, school=link.school_id, subject=link, label=link.name, detail=detail)


def _erase(pupils: QuerySet[Pupil]) -> Erased:
    """Locks pupils, as who asks does, then in the order of `chatbots.conversations.deletion`: chatbots, conversations,
    messages."""
    participants = list(pupils.select_for_update().order_by("pk").values_list("participant", flat=True))
    chats = Chat.objects.filter(participant__in=participants)
    list(Chatbot.objects.filter(chats__in=chats).order_by("pk").select_for_update(of=("self",), no_key=True))
    list(chats.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    messages = Message.objects.filter(chat__in=chats)
    keys: list[UUID] = list(messages.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    questions = messages.filter(version_of=None).count()
    QuestionLogEntry.objects.filter(message_id__in=keys).delete()
    Participant.objects.filter(Q(pk__in=participants, user=None)).delete()
    return Erased(len(participants), questions)
