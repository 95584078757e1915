"""Certify what was erased: of people here, of classes and pupils when `classrooms` says so."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from classrooms.erasing import Erased, erased
from classrooms.models import ClassLink
from privacy.models import Erasure, ErasureKind
from schools.models import Membership

CONCERNS = (
    "That there was a concern which the teacher had not seen yet: what it was about, the nickname and the time, "
    "without a word of the pupil, until the teacher has seen it or the class is erased."
)


def certify(
    kind: ErasureKind,
    subject: UUID,
    *,
    school_id: UUID,
    asked_by: Membership | None,
    counts: dict[str, int],
    kept: list[str] | None = None,
) -> Erasure:
    """Store a certificate, in the transaction that erases."""
    return Erasure.objects.create(
        school_id=school_id,
        kind=kind,
        subject_id=subject,
        asked_by_id=asked_by.user_id if asked_by else None,
        counts=counts,
        kept=kept or [],
    )


def listen() -> None:
    """Certify each class and each pupil that is erased from now on."""
    erased.connect(_on_erased, dispatch_uid="privacy.certificates")


def _on_erased(
    sender: type, subject: UUID, school_id: UUID, asked_by: Membership | None, amount: Erased, **_: Any
) -> None:
    counts = {"pupils": amount.pupils, "questions": amount.questions}
    kind, kept = ErasureKind.PUPIL, [CONCERNS] if amount.concerns else []
    if sender is ClassLink:
        kind, counts = ErasureKind.CLASS, {"classes": 1, **counts}
    certify(kind, subject, school_id=school_id, asked_by=asked_by, counts=counts, kept=kept)
