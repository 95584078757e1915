"""Grades of practice on their way to a platform. The rows say what is due; a lost message only costs time (ADR 7)."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from corpus.advisory_lock import advisory_lock
from corpus.wake_worker import send
from learning.models import Attempt, StudyPlan
from learning.practice.score import score_of
from lti import platform_calls
from lti.launch import Launch
from lti.models import Grade, PupilIdentity, ResourceLink
from schools.single_sign_on import sealed
from schools.single_sign_on.issuer import IssuerFailed

logger = logging.getLogger(__name__)

COALESCED = timedelta(seconds=10)
"""After the first answer, so that several quick ones are one grade."""
DELAYS = (timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=15), timedelta(hours=1), timedelta(hours=6))
"""Before it is tried again; then nothing is sent until the pupil answers again."""
AT_ONCE = 100


def remember(identity: PupilIdentity, link: ResourceLink, launch: Launch) -> None:
    """Where the grades of a pupil go. Without leave of the platform, or for no practice, nothing is stored."""
    if not (link.sends_grades and link.chatbot.is_tutor and launch.line_item):
        return
    known = Grade.objects.filter(identity=identity, resource_link=link).first()
    if known and known.address == launch.line_item:
        return
    Grade.objects.update_or_create(
        school_id=identity.school_id,
        identity=identity,
        resource_link=link,
        defaults={"address": launch.line_item, "sealed_subject": sealed.seal(launch.subject)},
    )


def note_answer(attempt: Attempt, **_: Any) -> None:
    """Receiver: a pupil has answered a practice question. Their grade is due shortly, in the same transaction."""
    plan = attempt.question.concept.plan
    rows = Grade.objects.filter(
        identity__pupil__participant=attempt.participant_id,
        resource_link__chatbot=plan.tutor_id,
        resource_link__sends_grades=True,
    )
    keys = list(rows.values_list("pk", flat=True))
    if keys:
        now = timezone.now()
        mine = Grade.objects.filter(pk__in=keys)
        mine.filter(Q(due_at=None) | Q(attempts__gt=0)).update(due_at=now + COALESCED, attempts=0)
        mine.update(answered_at=now)


def wake() -> None:
    """Have a worker send what is due, after the transaction. Never raises."""
    transaction.on_commit(lambda: _wake())


def _wake() -> None:
    if not send("lti.tasks.send_grades"):
        logger.warning("The broker is away: grades are sent when it is back.")


def send_due() -> int:
    """Send the grades that are due; returns how many were sent."""
    keys = list(Grade.objects.due().order_by("due_at", "pk").values_list("pk", flat=True)[:AT_ONCE])
    return sum(map(send_one, keys))


def send_one(pk: int) -> bool:
    """Send one grade as it is now, if it is due and nobody else is sending it."""
    with advisory_lock(_LOCK + pk) as held:
        rows = Grade.objects.due().select_related("resource_link__platform", "identity__pupil__participant")
        grade = rows.filter(pk=pk).first() if held else None
        if grade is None:
            return False
        seen = Grade.objects.filter(pk=pk, answered_at=grade.answered_at)  # none, once the pupil answers again
        plan = StudyPlan.objects.filter(tutor=grade.resource_link.chatbot_id).first()
        if plan is None:
            Grade.objects.filter(pk=pk).update(due_at=None)
            return False
        score = score_of(plan, grade.identity.pupil.participant)
        points, at = round(score.share * platform_calls.MAXIMUM, 2), _later_than(grade.sent_at)
        try:
            platform_calls.post_score(
                grade.resource_link.platform,
                grade.address,
                subject=grade.open_subject(),
                score=points,
                is_complete=score.is_complete,
                at=at,
            )
        except (IssuerFailed, sealed.Unreadable) as problem:
            _failed(grade, problem)
            return False
        Grade.objects.filter(pk=pk).update(score=points, sent_at=at, attempts=0, last_error="")
        seen.update(due_at=None)
        return True


_LOCK = 0x4C5449 << 32  # apart from other advisory locks


def _later_than(last: datetime | None) -> datetime:
    """Now, and never as early as what was sent before: the platform would ignore it, or keep the older one."""
    now = timezone.now()
    return max(now, last + timedelta(milliseconds=1)) if last else now


def _failed(grade: Grade, problem: Exception) -> None:
    words = "its key cannot be read since the key of the installation has changed"
    told = words if isinstance(problem, sealed.Unreadable) else str(problem)
    logger.warning("The grade %s was not sent: %s", grade.pk, told)
    tried = grade.attempts
    next_time = timezone.now() + DELAYS[tried] if tried < len(DELAYS) else None
    Grade.objects.filter(pk=grade.pk).update(last_error=told[:300], attempts=F("attempts") + 1)
    Grade.objects.filter(pk=grade.pk, answered_at=grade.answered_at).update(due_at=next_time)


def failures_of(class_link: UUID) -> list[Grade]:
    """The grades of a class that could not be sent."""
    rows = Grade.objects.filter(resource_link__class_link=class_link).exclude(last_error="")
    return list(rows.select_related("identity__pupil", "resource_link__platform").order_by("identity__pupil__nickname"))


def send_again(class_link: UUID) -> None:
    """Try those once more, now."""
    rows = Grade.objects.filter(resource_link__class_link=class_link).exclude(last_error="")
    rows.update(due_at=timezone.now(), attempts=0)
    wake()
