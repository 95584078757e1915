"""Erase a person, and certify it. Classes and pupils are erased by `classrooms.erasing`."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from chatbots.conversations.deletion import erase_chatbot
from chatbots.models import Chatbot, Participant
from classrooms import erasing as classes
from classrooms.models import ClassLink
from knowledge.models import PersonalDocument
from learning.models import StudyPlan
from privacy.certificates import certify
from privacy.models import Erasure, ErasureKind
from privacy.rows import rows_anywhere, rows_of
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
    """Erase everything of a member in this school, and the account if no other school has anything of it.

    What others asked the chatbots of the person goes with these, and so do the classes. Raises MembershipRefused for
    the only admin, for oneself, and for who has not joined: their account is not this school’s.
    """
    if member.pk == asked_by.pk:
        raise MembershipRefused("Another admin of your school has to erase you.")
    if Membership.objects.invited().filter(pk=member.pk).exists():
        raise MembershipRefused(f"{member.name} has not joined your school. Withdraw the invitation instead.")
    user, school = member.user, member.school
    counts = extent_of_person(member)
    remove_member(membership=member)
    for link in ClassLink.objects.filter(school=school, owner=user):
        classes.erase_class(link, asked_by=asked_by)
    deletion.delete_with_everything(list(StudyPlan.objects.filter(school=school, owner=user)))
    for chatbot in Chatbot.objects.filter(school=school, owner=user).order_by("pk"):
        erase_chatbot(chatbot)
    deletion.delete_with_everything(list(Participant.objects.filter(school=school, user=user)))
    deletion.delete_with_everything(list(PersonalDocument.objects.filter(school=school, owner=user)))
    for _, rows in rows_of(user, school):
        rows.delete()
    is_elsewhere = any(rows.exists() for _, rows in rows_anywhere(user))  # a school that they left keeps what they made
    is_last = not (is_elsewhere or user.is_staff or user.is_superuser)
    if is_last:
        deletion.delete_with_everything([User.objects.get(pk=user.pk)])
        counts["accounts"] = 1
    record(Action.MEMBER_ERASED, school=school, detail={"rows": sum(counts.values())})
    return certify(
        ErasureKind.PERSON,
        user.pk,
        school_id=school.pk,
        asked_by=asked_by,
        counts=counts,
        kept=_kept_of_person(is_last=is_last),
    )


def _kept_of_person(*, is_last: bool) -> list[str]:
    days = settings.LECTERN_QUESTION_LOG_DAYS
    kept = [_LIBRARY]
    if days:
        kept.append(
            "Entries of the question log of what the person and other members asked, which have no names, for "
            f"{days} days after they were asked. Those of pupils are erased with their classes."
        )
    kept.append(f"The audit log, which names who did what, for {settings.LECTERN_AUDIT_DAYS} days after it was done.")
    if not is_last:
        kept.append("The account, which belongs to another school or to an operator as well.")
    return kept
