"""Tell those whom a school has named by mail that something was found: never a word of what the pupil wrote.

The rows say what is not sent yet: a lost message to the worker, or a mail server that is away, only cost time (ADR 7).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from classrooms.flagging import describe_place, get_settings
from classrooms.models import ClassLink, ClassroomSettings, ConcernMail, Counsellor, Flag, OnConcern
from schools.models import Membership, MembershipQuerySet, Role, School

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=5)
"""For which a worker has a mail to itself. If it dies meanwhile, another one sends it."""
RETRY_DELAYS = (timedelta(seconds=15), timedelta(minutes=2), timedelta(minutes=16))
"""After the first failure, the second, and each further one."""


def mail_flags() -> int:
    """Write a mail to each person for all that is new, and send those that are due; returns how many were sent.

    A mail has the category, the class and the nickname.
    """
    _withdraw_mails()
    _write_mails()
    _write_to_admins()
    return sum(map(_send, list(ConcernMail.objects.due().values_list("pk", flat=True))))


def list_recipients(link: ClassLink) -> list[Membership]:
    """Who gets a mail when something is found in a class, by name."""
    found = list(_counsellors(link.school))
    if get_settings(link.school).tells_teacher and all(one.user_id != link.owner_id for one in found):
        found += _active(link.school).filter(user=link.owner_id)
    return sorted(found, key=lambda one: one.name)


def is_nobody_told(school: School) -> bool:
    """Return whether words are looked for, and nobody gets a mail when a concern is found."""
    chosen = get_settings(school)
    return chosen.on_concern != OnConcern.OFF and not chosen.tells_teacher and not _counsellors(school).exists()


def list_unreached(link: ClassLink) -> list[ConcernMail]:
    """The first mail that could not be sent, for each person who waits for one about the class."""
    rows = ConcernMail.objects.failed().filter(class_link=link).select_related("member__user")
    return list(rows.order_by("member_id", "created_at", "pk").distinct("member_id"))


def count_unsent() -> dict[str, object]:
    """Hook: the mails that could not be sent yet, in all schools, for the operator's page."""
    written = list(ConcernMail.objects.failed().values_list("created_at", flat=True))
    return {"unsent": len(written), "oldest_unsent": min(written, default=None)}


def _active(school: School) -> MembershipQuerySet:
    return Membership.objects.joined().filter(school=school, user__is_active=True).select_related("user")


def _counsellors(school: School) -> MembershipQuerySet:
    return _active(school).filter(counsellor__isnull=False)


def _withdraw_mails() -> None:
    """Withdraw unsent mails of those who are not told any more; till somebody else is told they wait.

    They are then written anew for all who are told. Who has got one already may get it twice.
    """
    ConcernMail.objects.filter(class_link=None, member=None).delete()  # other admins have got theirs
    waiting = ConcernMail.objects.exclude(class_link=None)
    for key in set(waiting.values_list("class_link", flat=True)):
        with transaction.atomic():
            links = ClassLink.objects.select_for_update(of=("self",), no_key=True, skip_locked=True)
            if link := links.select_related("school").filter(pk=key).first():
                _withdraw_in(link)


def _withdraw_in(link: ClassLink) -> None:
    told = {member.pk for member in list_recipients(link)}
    mails = ConcernMail.objects.filter(class_link=link)
    orphans = mails.exclude(member__in=told) | mails.filter(member=None)
    if not told:
        orphans.exclude(member=None).update(member=None)
        return
    flags = set(orphans.values_list("flag", flat=True))
    mails.filter(flag__in=flags).delete()
    Flag.objects.filter(pk__in=flags).update(mailed_at=None)


@transaction.atomic
def _write_mails() -> None:
    """For what is new, and for those who were erased meanwhile. What another worker writes of is locked."""
    new: dict[str, Any] = {"of": ("self",), "skip_locked": True}
    flags = Flag.objects.filter(mailed_at=None)
    flags = flags.select_related("school", "pupil__class_link__owner", "class_link__owner")
    for flag in flags.select_for_update(**new):
        source = "Your school’s word list" if flag.entry else "The language model"
        if flag.pupil:
            _write(flag, f"{source} found something {describe_place(flag)}", flag.pupil.nickname)
        else:
            _write(flag, "Something was found, which has been erased since,", flag.nickname)
    Flag.objects.settled().delete()


def _write(flag: Flag, what: str, nickname: str) -> None:
    link = flag.link
    teacher = Membership.objects.filter(school=link.school_id, user=link.owner_id).select_related("user").first()
    name = teacher.name if teacher else str(link.owner)
    subject = f"[Lectern] Please look at the class “{' '.join(link.name.split())}”"
    facts = (
        f"What it is about: {flag.get_category_display()}\nPupil: {nickname} (a nickname)\n"
        f"When: {timezone.localtime(flag.raised_at):%d %B %Y, %H:%M}"
    )
    told = list_recipients(link)
    if flag.pupil is None and not told:
        return  # a mail about it was waiting for somebody
    for member in told:
        if member.user_id == link.owner_id:
            opening, ending = f"{what} in your class “{link.name}”.", _to_teacher(flag)
        else:
            opening, ending = f"{what} in the class “{link.name}” of {name}.", _to_others(flag, name)
        ConcernMail.objects.create(
            school_id=link.school_id,
            member=member,
            class_link=link,
            flag=flag,
            subject=subject,
            body=f"{opening}\n\n{facts}\n\n{ending}\n",
        )
    Flag.objects.filter(pk=flag.pk).update(mailed_at=timezone.now())


@transaction.atomic
def _write_to_admins() -> None:
    """Tell the admins of a school that somebody who got these mails is no member any more, or cannot sign in.

    One who comes back counts again, so that the next to leave is noticed.
    """
    active = Counsellor.objects.filter(school=OuterRef("school"), member__user__is_active=True)
    left = active.values("school").annotate(count=Count("pk")).values("count")
    rows = ClassroomSettings.objects.annotate(left=Coalesce(Subquery(left), 0)).select_related("school")
    for row in rows.exclude(counsellors_chosen=F("left")).select_for_update(of=("self",), skip_locked=True):
        still = [one.name for one in _counsellors(row.school)] + ["the teacher of the class"] * row.tells_teacher
        told = f"These still get it: {', '.join(still)}." if still else "Nobody gets it now."
        body = (
            "Somebody whom you chose to get a mail when a concern is found has left your school, or "
            f"cannot sign in any more.\n\n{told}\n\n"
            "You can choose others in Lectern: School, Classes, Words of concern.\n"
        )
        for admin in _active(row.school).filter(role=Role.ADMIN) if row.counsellors_chosen > row.left else ():
            subject = "[Lectern] Somebody who got mails about concerns has left"
            ConcernMail.objects.create(school=row.school, member=admin, subject=subject, body=body)
        ClassroomSettings.objects.filter(pk=row.pk).update(counsellors_chosen=row.left)


def _send(pk: int) -> bool:
    """Send one mail, unless another worker has it. It is deleted after it was sent, never before."""
    mine = ConcernMail.objects.filter(pk=pk)
    if not mine.due().update(due_at=timezone.now() + LEASE):
        return False
    mail = mine.filter(member__user__is_active=True).select_related("member__user").first()
    if mail is None or mail.member is None:
        return False
    try:
        EmailMessage(mail.subject, mail.body, to=[mail.member.user.email]).send()
    except (OSError, ValueError) as problem:  # also an address that is none: others get theirs
        logger.warning("A mail about a concern to member %s was not sent: %r", mail.member_id, problem)
        is_away = isinstance(problem, OSError) and not isinstance(problem, (SMTPRecipientsRefused, SMTPDataError))
        _postpone([mail, *ConcernMail.objects.due()] if is_away else [mail])
        return False
    mine.delete()
    return True


def _postpone(mails: Iterable[ConcernMail]) -> None:
    """Try them again later, for ever. A mail server that is away is waited for once, and not for each of its mails."""
    for mail in mails:
        due_at = timezone.now() + RETRY_DELAYS[min(mail.attempts, len(RETRY_DELAYS) - 1)]
        ConcernMail.objects.filter(pk=mail.pk).update(attempts=F("attempts") + 1, due_at=due_at)


def _to_teacher(flag: Flag) -> str:
    if flag.pupil is None:
        return "Nothing of what was written is left. Talk to the pupil, or to the counsellor of your school."
    message = flag.message_id
    path = reverse("classrooms:answer", args=[message]) if message else reverse("classrooms:desk", args=[flag.link.pk])
    address = _address(path)
    where = f"You can read it here:\n{address}" if address else "You can read it in Lectern: Classes, then the class."
    return f"{where}\n\nWord lists and models can be wrong. Read the whole conversation before you talk to the pupil."


def _to_others(flag: Flag, teacher: str) -> str:
    if flag.pupil is None:
        left = f"Nothing of what was written is left. Only the teacher of the class, {teacher}, can tell who it is."
        return f"{left} Talk to them first."
    return (
        f"Only the teacher of the class, {teacher}, can read it and can tell who it is. Talk to them first. "
        "Word lists and models can be wrong."
    )


def _address(path: str) -> str:
    """The page as the operator has named the address of this installation; empty where it has no public one."""
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        if "*" not in origin:
            return f"{origin.rstrip('/')}{path}"
    scheme = "https" if settings.HTTPS else "http"
    public = [host for host in settings.ALLOWED_HOSTS if host[0] not in "*.[" and host.strip("0123456789.")]
    return next((f"{scheme}://{host}{path}" for host in public if host not in ("localhost", "testserver")), "")
