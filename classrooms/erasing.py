"""Erase what pupils asked: of one pupil, of a class, and of all classes whose days are over.

The question log of the school keeps an entry of each answer without a name. Those of pupils go as well: erased means
that no word of theirs is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from chatbots.models import Chat, Chatbot, Message, Participant, QuestionLogEntry
from classrooms.models import ClassLink, Pupil
from schools.audit.actions import Action
from schools.audit.recording import record


@dataclass(frozen=True)
class Erased:
    """How much was erased."""

    pupils: int
    questions: int


@transaction.atomic
def erase_pupil(pupil: Pupil) -> Erased:
    """Erase a pupil with everything that they asked."""
    erased = _erase(Pupil.objects.filter(pk=pupil.pk))
    _record(Action.PUPIL_ERASED, pupil.class_link, erased)
    return erased


@transaction.atomic
def erase_pupils(link: ClassLink) -> Erased:
    """Erase the pupils of a class with everything that they asked. The class link stays."""
    return _erase(Pupil.objects.filter(class_link=link))


@transaction.atomic
def erase_class(link: ClassLink) -> Erased:
    """Erase a class with its pupils and everything that they asked."""
    ClassLink.objects.select_for_update().filter(pk=link.pk).first()  # nobody joins meanwhile
    erased = _erase(Pupil.objects.filter(class_link=link))
    ClassLink.objects.filter(pk=link.pk).delete()
    _record(Action.CLASS_ERASED, link, erased)
    return erased


def erase_old() -> int:
    """Erase the classes that have been kept for their days; returns how many."""
    due = list(ClassLink.objects.due())
    for link in due:
        erase_class(link)
    return len(due)


def _record(action: Action, link: ClassLink, erased: Erased) -> None:
    """What is kept of them in the audit log: the class, and how much it was."""
    detail = {"pupils": erased.pupils, "questions": erased.questions}
    record(action, school=link.school_id, subject=link, label=link.name, detail=detail)


def _erase(pupils: QuerySet[Pupil]) -> Erased:
    """Locks in the order of `chatbots.conversations.deletion`: chatbots, conversations, messages."""
    participants = list(pupils.values_list("participant", flat=True))
    chats = Chat.objects.filter(participant__in=participants)
    list(Chatbot.objects.filter(chats__in=chats).order_by("pk").select_for_update(of=("self",), no_key=True))
    list(chats.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    messages = Message.objects.filter(chat__in=chats)
    keys: list[UUID] = list(messages.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    questions = messages.filter(version_of=None).count()
    QuestionLogEntry.objects.filter(message_id__in=keys).delete()
    erased = len(participants)
    Participant.objects.filter(Q(pk__in=participants, user=None)).delete()
    return Erased(erased, questions)
