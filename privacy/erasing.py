"""Erase a person, and what has been stored for its time, in all tables that are declared."""

from __future__ import annotations

import logging
from collections import Counter

from django.db import connection, transaction

from privacy.models import Erasure, ErasureKind
from privacy.registry import PersonalData, list_declared
from schools import deletion
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, School, User
from schools.services import MembershipRefused, remove_member

logger = logging.getLogger(__name__)


def count_person_rows(member: Membership) -> dict[str, int]:
    """How much of a person would be erased, by the names of the tables."""
    counts: dict[str, int] = {}
    for data in list_declared():
        if data.is_root and (rows := list(data.find_rows(member.user, member.school))):
            for name, count in deletion.measure_extent(rows).rows.items():
                counts[name] = max(counts.get(name, 0), count)
            counts.setdefault(str(data.model._meta.verbose_name_plural), len(rows))
    return dict(sorted(counts.items()))


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
    counts = count_person_rows(member)
    remove_member(membership=member)
    for data in reversed(list_declared()):
        _erase_rows(data, user, school, asked_by)
    kept = [words for data in list_declared() if data.keeps and (words := data.keeps())]
    # A school that they left keeps what they made.
    is_elsewhere = any(data.find_rows(user).exists() for data in list_declared() if data.is_root)
    if is_elsewhere or user.is_staff or user.is_superuser:
        kept.append("The account, which belongs to another school or to an operator as well.")
    else:
        deletion.delete_with_everything([User.objects.get(pk=user.pk)])
        counts["accounts"] = 1
    record(Action.MEMBER_ERASED, school=school, detail={"rows": sum(counts.values())})
    return Erasure.objects.create(
        kind=ErasureKind.PERSON, subject_id=user.pk, school=school, asked_by=asked_by.user, counts=counts, kept=kept
    )


def _erase_rows(data: PersonalData, user: User, school: School, asked_by: Membership) -> None:
    rows = data.find_rows(user, school)
    if data.blanks:
        rows.update(**{data.user: None})
    elif data.is_root and data.erase:
        for key in list(rows.order_by("pk").values_list("pk", flat=True)):
            data.erase(rows, key, asked_by)
    elif data.is_root:
        deletion.delete_with_everything(list(rows))


def erase_old() -> Counter[str]:
    """Erase what has been stored for its time; returns how many rows, by the label of their model."""
    counts: Counter[str] = Counter()
    for data in list_declared():
        if data.due:
            counts[data.model._meta.label] += sum(_erase_due(data, key) for key in _list_due(data))
    return counts


def _list_due(data: PersonalData) -> list[object]:
    """The keys of the rows that are due where each is erased by itself. A failure stops no other table."""
    assert data.due
    try:
        with transaction.atomic():
            return list(data.due().order_by("pk").values_list("pk", flat=True)) if data.erase else [None]
    except Exception:
        logger.exception("What is due of %s could not be read", data.model._meta.verbose_name_plural)
        connection.close_if_unusable_or_obsolete()
        return []


def _erase_due(data: PersonalData, key: object) -> int:
    """Erase all due rows, or one if the table has a way of its own. A failure stops no other one."""
    assert data.due
    try:
        with transaction.atomic():
            if data.erase:
                return bool(data.erase(data.due(), key, None))
            return data.due().delete()[1].get(data.model._meta.label, 0)
    except Exception:
        logger.exception("%s %s could not be erased", data.model._meta.verbose_name, key or "")
        connection.close_if_unusable_or_obsolete()
        return 0
