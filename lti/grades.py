"""Grades of practice on their way to a platform. The rows say what is due; a lost message only costs time (ADR 7)."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.db.models.signals import post_save
from django.utils import timezone

from accounts import encryption
from accounts.single_sign_on import issuer
from accounts.single_sign_on.issuer import UNREACHABLE, IssuerFailed
from classrooms.flagging import get_settings
from classrooms.models import ClassroomSettings
from corpus.advisory_lock import advisory_lock
from corpus.wake_worker import send_task
from learning.models import Attempt, StudyPlan
from learning.practice.statistics import compute_score
from lti import platform_calls
from lti.launch import Launch
from lti.models import GradePassback, PupilIdentity, ResourceLink
from schools.models import School

logger = logging.getLogger(__name__)

COALESCED = timedelta(seconds=10)
"""After the first answer, so that several quick ones are one grade."""
DELAYS = (timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=15), timedelta(hours=1), timedelta(hours=6))
"""Before it is tried again; then nothing is sent until the pupil answers again."""
LOCK = 0x4C5449475241  # apart from other advisory locks


def remember(identity: PupilIdentity, link: ResourceLink, launch: Launch) -> None:
    """Where the grades of a pupil go. Without leave of platform and school, or for no practice, nothing is stored."""
    if not (link.sends_grades and link.chatbot.is_tutor and launch.line_item and may_send(link.class_link.school)):
        return
    known = GradePassback.objects.filter(identity=identity, resource_link=link).first()
    if known and known.address == launch.line_item:
        return
    GradePassback.objects.update_or_create(
        school_id=identity.school_id,
        identity=identity,
        resource_link=link,
        defaults={"address": launch.line_item, "sealed_subject": encryption.seal(launch.subject)},
    )


def may_send(school: School) -> bool:
    """Whether the school lets grades go to its platforms."""
    settings = get_settings(school)
    return settings.allows_practice and settings.sends_grades


def listen() -> None:
    """Erase what was stored to send grades when a school lets none go any more."""
    post_save.connect(_on_settings, sender=ClassroomSettings, dispatch_uid="lti.grades")


def _on_settings(sender: type[ClassroomSettings], instance: ClassroomSettings, **_: object) -> None:
    if not (instance.allows_practice and instance.sends_grades):
        GradePassback.objects.filter(school=instance.school_id).delete()


def note_answer(attempt: Attempt) -> None:
    """Hook: a pupil has answered a practice question. Their grade is due shortly, in the same transaction."""
    plan = attempt.question.concept.plan
    rows = GradePassback.objects.filter(
        identity__pupil__participant=attempt.participant_id,
        resource_link__chatbot=plan.tutor_id,
        resource_link__sends_grades=True,
    )
    keys = list(rows.values_list("pk", flat=True))
    if keys:
        now = timezone.now()
        mine = GradePassback.objects.filter(pk__in=keys)
        mine.filter(Q(due_at=None) | Q(attempts__gt=0)).update(due_at=now + COALESCED, attempts=0)
        mine.update(answered_at=now)


def wake_sender() -> None:
    """Have a worker send what is due, after the transaction. Never raises."""
    transaction.on_commit(partial(send_task, "lti.tasks.send_grades"))


def send_due() -> int:
    """Send the grades that are due, one after the other and in one worker at a time; returns how many were sent.

    The lock belongs to the connection: given back to the pool in between, it would never be released.
    """
    with issuer.keep_connection(), advisory_lock(LOCK) as held:
        due = GradePassback.objects.due().order_by("due_at", "pk").values_list("pk", flat=True)
        return sum(map(_send, list(due[:100]))) if held else 0


def _send(pk: int) -> bool:
    """Send one grade as it is now. It may not be due any more, since its platform was found to be away."""
    rows = GradePassback.objects.due().select_related("resource_link__platform", "identity__pupil__participant")
    grade = rows.filter(pk=pk).first()
    if grade is None:
        return False
    plan = StudyPlan.objects.filter(tutor=grade.resource_link.chatbot_id).first()
    if plan is None:
        GradePassback.objects.filter(pk=pk).update(due_at=None)
        return False
    seen = GradePassback.objects.filter(pk=pk, answered_at=grade.answered_at)  # none, once the pupil answers again
    score = compute_score(plan, grade.identity.pupil.participant)
    points, at = round(score.share * platform_calls.MAXIMUM, 2), _later_than(grade.sent_at)
    try:
        platform_calls.post_score(
            grade.resource_link.platform,
            grade.address,
            subject=grade.open_subject(),
            score=points,
            is_complete=score.is_complete,
            comment=f"Questions answered: {score.questions}. Concepts: {score.answered} of {score.concepts}.",
            at=at,
        )
    except (IssuerFailed, encryption.Unreadable) as problem:
        _failed(grade, problem)
        return False
    except Exception as problem:  # what one platform answers never holds up those of other schools
        logger.exception("The grade %s could not be sent", pk)
        _failed(grade, problem)
        return False
    GradePassback.objects.filter(pk=pk).update(score=points, sent_at=at, attempts=0, last_error="")
    seen.update(due_at=None)
    return True


def _later_than(last: datetime | None) -> datetime:
    """Now, and never as early as what was sent before: the platform would ignore it, or keep the older one."""
    now = timezone.now()
    return max(now, last + timedelta(milliseconds=1)) if last else now


def _failed(grade: GradePassback, problem: Exception) -> None:
    """Try it again later. A platform that is away holds the worker up once, and not for each of its grades."""
    words = "its key cannot be read since the key of the installation has changed"
    told = words if isinstance(problem, encryption.Unreadable) else "the platform answered with something unexpected."
    told = str(problem) if isinstance(problem, IssuerFailed) else told
    logger.warning("The grade %s was not sent: %s", grade.pk, told)
    same = {"resource_link__platform": grade.resource_link.platform}
    is_away = isinstance(problem, IssuerFailed) and problem.code == UNREACHABLE
    for one in GradePassback.objects.due().filter(**same) if is_away else [grade]:
        next_time = timezone.now() + DELAYS[one.attempts] if one.attempts < len(DELAYS) else None
        GradePassback.objects.filter(pk=one.pk).update(last_error=told[:300], attempts=F("attempts") + 1)
        GradePassback.objects.filter(pk=one.pk, answered_at=one.answered_at).update(due_at=next_time)


def list_failures(class_link: UUID) -> list[GradePassback]:
    """The grades of a class that could not be sent."""
    rows = GradePassback.objects.filter(resource_link__class_link=class_link).exclude(last_error="")
    return list(rows.select_related("identity__pupil", "resource_link__platform").order_by("identity__pupil__nickname"))


def send_again(class_link: UUID) -> None:
    """Try those once more, now."""
    rows = GradePassback.objects.filter(resource_link__class_link=class_link).exclude(last_error="")
    rows.update(due_at=timezone.now(), attempts=0)
    wake_sender()
