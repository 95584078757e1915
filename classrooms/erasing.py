"""Erase what pupils asked: of one pupil, or of a class. A certificate says how much it was.

The question log of the school keeps an entry of each answer without a name. Those of pupils go as well: erased means
that no word of theirs is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.signals import pre_delete

from chatbots.models import Chat, Chatbot, Message, Participant, QuestionLogEntry
from classrooms.flagging import describe_class, describe_place
from classrooms.models import GRAVE, HANDED_KEPT, ClassLink, ConcernMail, Flag, Pupil
from privacy.models import Erasure, ErasureKind
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, School

_TRACES = (
    "That there was a grave concern which nobody had looked at yet: what it was about, the nickname and the time, "
    "without a word of the pupil, until somebody has looked."
)
_HANDED = (
    "Grave concerns that nobody had looked at yet. The safeguarding lead of the school has them, with what the pupil "
    f"wrote, until {HANDED_KEPT.days} days after they were marked as seen."
)
_COPIED = ("category", "is_of_answer", "words", "entry", "was_held", "raised_at", "seen_at")


@transaction.atomic
def erase_pupil(pupil: Pupil, *, asked_by: Membership | None = None) -> Erasure:
    """Erase a pupil with everything that they asked. Without `asked_by` they do it themselves: then no word stays."""
    subject, link = pupil.pk, pupil.class_link
    if asked_by:
        kept = [_HANDED] if Flag.objects.filter(pupil=pupil).grave().unseen().exists() else []
    else:
        kept = [_TRACES] if _leave_traces(pupil) else []
    counts = _erase(Pupil.objects.filter(pk=pupil.pk))
    if not asked_by and _blank_handed(subject):
        kept = [_TRACES]
    return _certify(ErasureKind.PUPIL, subject, link, asked_by, counts, kept)


@transaction.atomic
def erase_class(link: ClassLink, *, asked_by: Membership | None = None) -> Erasure:
    """Erase a class with its pupils and everything that they asked. Without `asked_by` its days are over."""
    ClassLink.objects.select_for_update().filter(pk=link.pk).first()  # nobody joins meanwhile
    kept = [_HANDED] if Flag.objects.of_class(link).grave().unseen().exists() else []
    subject, counts = link.pk, _erase(Pupil.objects.filter(class_link=link))
    ClassLink.objects.filter(pk=link.pk).delete()
    return _certify(ErasureKind.CLASS, subject, link, asked_by, counts, kept)


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
    """Erase the pupils of a class also where it goes with something else, such as the account of its teacher, and hand
    concerns over whatever they go with."""
    pre_delete.connect(_on_class_deleted, sender=ClassLink, dispatch_uid="classrooms.erasing.class")
    pre_delete.connect(_on_flag_deleted, sender=Flag, dispatch_uid="classrooms.erasing.flag")


def _on_class_deleted(sender: type[ClassLink], instance: ClassLink, origin: object = None, **_: object) -> None:
    if not _is_school(origin):
        with transaction.atomic():
            _erase(Pupil.objects.filter(class_link=instance))


def _on_flag_deleted(sender: type[Flag], instance: Flag, origin: object = None, **_: object) -> None:
    """Give the safeguarding lead what is about to be deleted, if it is grave and nobody has looked at it, or a mail
    about it is not sent yet. With its school it goes: nobody is left who could look."""
    is_settled = instance.seen_at and instance.mailed_at and not instance.mails.exists()
    if instance.category not in GRAVE or is_settled or _is_school(origin):
        return
    place = describe_class(instance)
    copy = Flag(
        pk=uuid5(instance.pk, "handed"),  # what is deleted with several things is handed over once
        school_id=instance.school_id,
        nickname=instance.pupil.nickname if instance.pupil else instance.nickname,
        handed={
            "pupil": (instance.handed or {}).get("pupil", str(instance.pupil_id or "")),
            "class": place.name,
            "teacher": place.teacher,
            "name": instance.real_name,
            "text": instance.written,
            "place": describe_place(instance),
        },
        **{name: getattr(instance, name) for name in _COPIED},
    )
    Flag.objects.bulk_create([copy], ignore_conflicts=True)


def _is_school(origin: object) -> bool:
    return getattr(origin, "model", type(origin)) is School


def _leave_traces(pupil: Pupil) -> int:
    """Keep that something grave was found which nobody has looked at, or of which a mail was not sent yet: that is
    written anew. Returns how many of them are unseen."""
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
    )
    return left.filter(seen_at=None).count()


def _blank_handed(pupil: UUID) -> int:
    """Take every word out of what a lead got of this pupil before. Returns how many of them are unseen."""
    handed = list(Flag.objects.filter(handed__pupil=str(pupil)))
    for flag in handed:
        flag.words = flag.entry = ""
        flag.handed |= {"text": "", "name": ""}
    Flag.objects.bulk_update(handed, ["words", "entry", "handed"])
    return sum(flag.seen_at is None for flag in handed)


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
