"""Tell by mail that something was found: the teacher of everything, the safeguarding lead at once of what is grave.
Never a word of what the pupil wrote.

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

from classrooms.flagging import describe_class, describe_place, get_settings
from classrooms.models import GRAVE, ClassLink, ClassroomSettings, ConcernMail, Flag, SafeguardingLead
from schools.models import Membership, MembershipQuerySet, Role, School

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=5)
"""For which a worker has a mail to itself. If it dies meanwhile, another one sends it."""
RETRY_DELAYS = (timedelta(seconds=15), timedelta(minutes=2), timedelta(minutes=16))
"""After the first failure, the second, and each further one."""
_OF_FLAG = ("school", "pupil__class_link__owner", "class_link__owner")


def mail_flags() -> int:
    """Write a mail to each person for all that is new, and send those that are due; returns how many were sent.

    A mail has the category, the class and the nickname.
    """
    _withdraw_mails()
    _write_mails()
    _write_to_admins()
    return sum(map(_send, list(ConcernMail.objects.due().values_list("pk", flat=True))))


def list_leads(school: School) -> list[Membership]:
    """The safeguarding leads of a school who can sign in; without any its admins, who stand in for them."""
    return list(_leads(school)) or list(_active(school).filter(role=Role.ADMIN))


def has_lead(school: School) -> bool:
    """Whether somebody who can sign in is the safeguarding lead of the school."""
    return _leads(school).exists()


def list_recipients(flag: Flag) -> list[Membership]:
    """Who gets a mail about a concern, by name: the teacher of the class, and the lead if it is grave."""
    told = list_leads(flag.school) if flag.category in GRAVE else []
    owner = flag.link.owner_id if flag.link else None
    if get_settings(flag.school).tells_teacher and all(one.user_id != owner for one in told):
        told += _active(flag.school).filter(user=owner)
    return sorted(told, key=lambda one: one.name)


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


def _leads(school: School) -> MembershipQuerySet:
    return _active(school).filter(safeguarding_lead__isnull=False)


def _withdraw_mails() -> None:
    """Withdraw unsent mails of those who are not told any more; till somebody else is told they wait.

    They are then written anew for all who are told. Who has got one already may get it twice.
    """
    ConcernMail.objects.filter(flag=None, member=None).delete()  # other admins have got theirs
    waiting = ConcernMail.objects.exclude(flag=None)
    for key in set(waiting.values_list("class_link", flat=True)):
        with transaction.atomic():
            links = ClassLink.objects.select_for_update(of=("self",), no_key=True, skip_locked=True)
            if key is None or links.filter(pk=key).exists():
                flags = Flag.objects.filter(pk__in=waiting.filter(class_link=key).values("flag"))
                for flag in flags.select_related(*_OF_FLAG):
                    _withdraw_of(flag)


def _withdraw_of(flag: Flag) -> None:
    told = {member.pk for member in list_recipients(flag)}
    mails = ConcernMail.objects.filter(flag=flag)
    orphans = mails.exclude(member__in=told) | mails.filter(member=None)
    if not told:
        orphans.exclude(member=None).update(member=None)
    elif orphans.exists():
        mails.delete()
        Flag.objects.filter(pk=flag.pk).update(mailed_at=None)


@transaction.atomic
def _write_mails() -> None:
    """For what is new, and for those who were erased meanwhile. What another worker writes of is locked."""
    new: dict[str, Any] = {"of": ("self",), "skip_locked": True}
    for flag in Flag.objects.filter(mailed_at=None).select_related(*_OF_FLAG).select_for_update(**new):
        source = "Your school’s word list" if flag.entry else "The language model"
        if flag.pupil:
            _write(flag, f"{source} found something {describe_place(flag)}", flag.pupil.nickname)
        elif flag.handed:
            _write(
                flag,
                "Something was erased before anybody had looked. You have what was written. It was",
                flag.nickname,
            )
        else:
            _write(flag, "Something was found, which has been erased since,", flag.nickname)
    Flag.objects.settled().delete()


def _write(flag: Flag, what: str, nickname: str) -> None:
    link, place = flag.link, describe_class(flag)
    subject = f"[Lectern] Please look at the class “{' '.join(place.name.split())}”"
    facts = (
        f"What it is about: {flag.get_category_display()}\nPupil: {nickname} (a nickname)\n"
        f"When: {timezone.localtime(flag.raised_at):%d %B %Y, %H:%M}"
    )
    told = list_recipients(flag)
    if flag.category in GRAVE and not told:
        return  # it waits for somebody
    for member in told:
        if link and member.user_id == link.owner_id:
            opening, ending = f"{what} in your class “{place.name}”.", _to_teacher(flag, link)
        else:
            opening, ending = f"{what} in the class “{place.name}” of {place.teacher}.", _to_lead(flag, place.teacher)
        ConcernMail.objects.create(
            school_id=flag.school_id,
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
    active = SafeguardingLead.objects.filter(school=OuterRef("school"), member__user__is_active=True)
    left = active.values("school").annotate(count=Count("pk")).values("count")
    rows = ClassroomSettings.objects.annotate(left=Coalesce(Subquery(left), 0)).select_related("school")
    for row in rows.exclude(leads_chosen=F("left")).select_for_update(of=("self",), skip_locked=True):
        still = [one.name for one in _leads(row.school)] + ["the teacher of the class"] * row.tells_teacher
        told = f"These are still told: {', '.join(still)}." if still else ""
        if not row.left:
            told = f"{told} Until you name another lead, grave concerns go to the admins.".strip()
        body = (
            "A safeguarding lead of your school has left, or cannot sign in any more.\n\n"
            f"{told}\n\nYou can name others in Lectern: School, Classes, Safeguarding.\n"
        )
        for admin in _active(row.school).filter(role=Role.ADMIN) if row.leads_chosen > row.left else ():
            subject = "[Lectern] A safeguarding lead has left"
            ConcernMail.objects.create(school=row.school, member=admin, subject=subject, body=body)
        ClassroomSettings.objects.filter(pk=row.pk).update(leads_chosen=row.left)


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


def _to_teacher(flag: Flag, link: ClassLink) -> str:
    if flag.pupil is None:
        return "Nothing of what was written is left. Talk to the pupil, or to the safeguarding lead of your school."
    message = flag.message_id
    path = reverse("classrooms:answer", args=[message]) if message else reverse("classrooms:desk", args=[link.pk])
    address = _address(path)
    where = f"You can read it here:\n{address}" if address else "You can read it in Lectern: Classes, then the class."
    return f"{where}\n\nWord lists and models can be wrong. Read the whole conversation before you talk to the pupil."


def _to_lead(flag: Flag, teacher: str) -> str:
    if not (flag.pupil or flag.handed):
        return f"Nothing of what was written is left. Talk to the teacher of the class, {teacher}, first."
    address = _address(reverse("classrooms:concerns"))
    where = f"You can read it here:\n{address}" if address else "You can read it in Lectern: Concerns, in the menu."
    told = "" if flag.handed else f" The teacher of the class is {teacher}."
    return f"{where}\n\nWord lists and models can be wrong: read before you act.{told}"


def _address(path: str) -> str:
    """The page as the operator has named the address of this installation; empty where it has no public one."""
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        if "*" not in origin:
            return f"{origin.rstrip('/')}{path}"
    scheme = "https" if settings.HTTPS else "http"
    public = [host for host in settings.ALLOWED_HOSTS if host[0] not in "*.[" and host.strip("0123456789.")]
    return next((f"{scheme}://{host}{path}" for host in public if host not in ("localhost", "testserver")), "")
