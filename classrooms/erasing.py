"""Erase what pupils asked: of one pupil, or of a class. A certificate says how much it was.

The question log of the school keeps an entry of each answer without a name. Those of pupils go as well: erased means
that no word of theirs is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.signals import pre_delete

from chatbots.models import Chat, Chatbot, Message, Participant, QuestionLogEntry
from classrooms.models import GRAVE, ClassLink, ConcernMail, Flag, Pupil
from privacy.models import Erasure, ErasureKind
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership

_CONCERNS = (
    "That there was a concern which the teacher had not seen yet: what it was about, the nickname and the time, "
    "without a word of the pupil, until the teacher has seen it or the class is erased."
)


@transaction.atomic
def erase_pupil(pupil: Pupil, *, asked_by: Membership | None = None) -> Erasure:
    """Erase a pupil with everything that they asked. Without `asked_by` they do it themselves."""
    subject, concerns = pupil.pk, _leave_traces(pupil, is_by_pupil=asked_by is None)
    counts = _erase(Pupil.objects.filter(pk=pupil.pk))
    return _certify(ErasureKind.PUPIL, subject, pupil.class_link, asked_by, counts, [_CONCERNS] * bool(concerns))


@transaction.atomic
def erase_class(link: ClassLink, *, asked_by: Membership | None = None) -> Erasure:
    """Erase a class with its pupils and everything that they asked. Without `asked_by` its days are over."""
    ClassLink.objects.select_for_update().filter(pk=link.pk).first()  # nobody joins meanwhile
    subject, counts = link.pk, _erase(Pupil.objects.filter(class_link=link))
    ClassLink.objects.filter(pk=link.pk).delete()
    return _certify(ErasureKind.CLASS, subject, link, asked_by, counts)


@transaction.atomic
def find_and_erase_class(links: QuerySet[ClassLink], key: UUID, asked_by: Membership | None) -> Erasure | None:
    """Erase a class if it is still one of these."""
    link = links.select_for_update(of=("self",)).filter(pk=key).first()
    return erase_class(link, asked_by=asked_by) if link else None


def find_and_erase_pupil(pupils: QuerySet[Pupil], key: UUID, asked_by: Membership | None) -> Erasure | None:
    """Erase a pupil who is still one of these."""
    pupil = pupils.select_for_update(of=("self",)).filter(pk=key).first()
    return erase_pupil(pupil, asked_by=asked_by) if pupil else None


def listen() -> None:
    """Erase the pupils of a class also where it goes with something else, such as the account of its teacher."""
    pre_delete.connect(_on_deleted, sender=ClassLink, dispatch_uid="classrooms.erasing")


def _on_deleted(sender: type[ClassLink], instance: ClassLink, **_: object) -> None:
    with transaction.atomic():
        _erase(Pupil.objects.filter(class_link=instance))


def _leave_traces(pupil: Pupil, *, is_by_pupil: bool) -> int:
    """Keep that something grave was found which the teacher has not seen, or of which a mail was not sent yet: that
    is written anew. Returns how many of them are unseen."""
    Pupil.objects.select_for_update().filter(pk=pupil.pk).first()  # nothing more is found meanwhile
    mails = ConcernMail.objects.filter(flag__pupil=pupil)
    unsent = list(mails.values_list("flag", flat=True))
    is_open = Q(seen_at=None) | Q(mailed_at=None) | Q(pk__in=unsent)
    found = Flag.objects.filter(is_open, pupil=pupil, category__in=GRAVE)
    left = Flag.objects.filter(pk__in=list(found.values_list("pk", flat=True)))
    mails.delete()
    left.filter(pk__in=unsent).update(mailed_at=None)
    left.update(
        pupil=None,
        message=None,
        practised="",
        words="",
        entry="",
        class_link=pupil.class_link,
        nickname=pupil.nickname,
        is_by_pupil=is_by_pupil,
    )
    return left.filter(seen_at=None).count()


def _certify(
    kind: ErasureKind,
    subject: UUID,
    link: ClassLink,
    asked_by: Membership | None,
    counts: dict[str, int],
    kept: Sequence[str] = (),
) -> Erasure:
    """Store how much it was, in the audit log and in a certificate."""
    is_class = kind == ErasureKind.CLASS
    action = Action.CLASS_ERASED if is_class else Action.PUPIL_ERASED
    record(action, school=link.school_id, subject=link, label=link.name, detail=counts)
    return Erasure.objects.create(
        kind=kind,
        subject_id=subject,
        school_id=link.school_id,
        asked_by_id=asked_by.user_id if asked_by else None,
        counts={"classes": 1, **counts} if is_class else counts,
        kept=list(kept),
    )


def _erase(pupils: QuerySet[Pupil]) -> dict[str, int]:
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
    return {"pupils": len(participants), "questions": questions}
