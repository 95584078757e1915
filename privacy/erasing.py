"""Erase a person, a class or a pupil, and certify it."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.db import transaction

from chatbots.conversations.deletion import erase_chatbot
from chatbots.models import Chatbot, Participant
from classrooms import erasing as classes
from classrooms.models import ClassLink, Pupil
from knowledge.models import PersonalDocument
from learning.models import StudyPlan
from privacy.models import Erasure, ErasureKind
from privacy.rows import rows_of
from schools import deletion
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, User
from schools.services import MembershipRefused, remove_member

_LIBRARY = (
    "Documents of the school’s library that the person uploaded. They are the school’s, and stay without the name."
)


def extent_of_person(member: Membership) -> dict[str, int]:
    """How much of a person would be erased, by the names of the tables."""
    found: dict[str, int] = {}
    for model, rows in rows_of(member.user, member.school):
        if chosen := list(rows):
            for name, count in deletion.extent_of(chosen).rows.items():
                found[name] = max(found.get(name, 0), count)
            found.setdefault(str(model._meta.verbose_name_plural), len(chosen))
    return dict(sorted(found.items()))


@transaction.atomic
def erase_person(member: Membership, *, asked_by: Membership) -> Erasure:
    """Erase everything of a member in this school, and the account if it belongs to no other one.

    What others asked the chatbots of the person goes with these, and so do the classes. Raises MembershipRefused for
    the only admin, and for oneself.
    """
    if member.pk == asked_by.pk:
        raise MembershipRefused("Another admin of your school has to erase you.")
    user, school = member.user, member.school
    counts = extent_of_person(member)
    remove_member(membership=member)
    for link in ClassLink.objects.filter(school=school, owner=user):
        classes.erase_class(link)
    deletion.delete_with_everything(list(StudyPlan.objects.filter(school=school, owner=user)))
    for chatbot in Chatbot.objects.filter(school=school, owner=user).order_by("pk"):
        erase_chatbot(chatbot)
    deletion.delete_with_everything(list(Participant.objects.filter(school=school, user=user)))
    deletion.delete_with_everything(list(PersonalDocument.objects.filter(school=school, owner=user)))
    for _, rows in rows_of(user, school):
        rows.delete()
    is_last = not Membership.objects.filter(user=user).exists() and not (user.is_staff or user.is_superuser)
    if is_last:
        deletion.delete_with_everything([User.objects.get(pk=user.pk)])
        counts["accounts"] = 1
    record(Action.MEMBER_ERASED, school=school, detail={"rows": sum(counts.values())})
    return _certified(ErasureKind.PERSON, user.pk, asked_by, counts, _kept_of_person(is_last=is_last))


@transaction.atomic
def erase_pupil(pupil: Pupil, *, asked_by: Membership) -> Erasure:
    """Erase a pupil with everything that they asked."""
    erased = classes.erase_pupil(pupil)
    return _certified(ErasureKind.PUPIL, pupil.pk, asked_by, {"pupils": 1, "questions": erased.questions}, [])


@transaction.atomic
def erase_class(link: ClassLink, *, asked_by: Membership) -> Erasure:
    """Erase a class with its pupils and everything that they asked."""
    pk = link.pk
    erased = classes.erase_class(link)
    counts = {"classes": 1, "pupils": erased.pupils, "questions": erased.questions}
    return _certified(ErasureKind.CLASS, pk, asked_by, counts, [])


def _kept_of_person(*, is_last: bool) -> list[str]:
    days = settings.LECTERN_QUESTION_LOG_DAYS
    kept = [_LIBRARY]
    if days:
        kept.append(f"Entries of the question log, which have no names, for {days} days after they were asked.")
    kept.append(f"The audit log, which names who did what, for {settings.LECTERN_AUDIT_DAYS} days after it was done.")
    if not is_last:
        kept.append("The account, which belongs to another school or to an operator as well.")
    return kept


def _certified(
    kind: ErasureKind, subject: UUID, asked_by: Membership, counts: dict[str, int], kept: list[str]
) -> Erasure:
    return Erasure.objects.create(
        school_id=asked_by.school_id,
        kind=kind,
        subject_id=subject,
        asked_by_id=asked_by.user_id,
        counts=counts,
        kept=kept,
    )
