"""Tell those whom a school has named by mail that something was found: never a word of what the pupil wrote."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from classrooms.flagging import settings_of, where_found
from classrooms.models import ClassLink, ErasedConcern, Flag
from schools.models import Membership

logger = logging.getLogger(__name__)


def mail_flags() -> int:
    """Tell what is new, one mail for each; returns how many were told. Also of those who were erased meanwhile.

    A mail has the category, the class and the nickname.
    """
    told = 0
    for flag in Flag.objects.filter(mailed_at=None).select_related("school", "pupil__class_link__owner"):
        if not Flag.objects.filter(pk=flag.pk, mailed_at=None).update(mailed_at=timezone.now()):
            continue  # another worker has told it
        what = f"{'A rule of your school' if flag.rule else 'The language model'} found something {where_found(flag)}"
        told += _mail(flag, flag.pupil.class_link, what, flag.pupil.nickname)
    for trace in ErasedConcern.objects.filter(mailed_at=None).select_related("school", "class_link__owner"):
        if not ErasedConcern.objects.filter(pk=trace.pk, mailed_at=None).update(mailed_at=timezone.now()):
            continue
        told += _mail(trace, trace.class_link, "Something was found, which has been erased since,", trace.nickname)
    ErasedConcern.objects.settled().delete()
    return told


def those_told(link: ClassLink) -> list[Membership]:
    """Who gets a mail when something is found in a class, by name."""
    chosen = settings_of(link.school)
    members = Membership.objects.joined().filter(school=link.school_id, user__is_active=True).select_related("user")
    found = {one.pk: one for one in members.filter(pk__in=chosen.counsellors)}
    if chosen.tells_teacher:
        found |= {one.pk: one for one in members.filter(user=link.owner_id)}
    return sorted(found.values(), key=lambda one: one.name)


def _mail(found: Flag | ErasedConcern, link: ClassLink, what: str, nickname: str) -> bool:
    """Whether there was somebody to tell."""
    people = those_told(link)
    teacher = Membership.objects.filter(school=link.school_id, user=link.owner_id).select_related("user").first()
    name = teacher.name if teacher else str(link.owner)
    subject = f"[Lectern] Please look at the class “{' '.join(link.name.split())}”"
    facts = (
        f"What it is about: {found.get_category_display()}\nPupil: {nickname} (a nickname)\n"
        f"When: {timezone.localtime(found.raised_at):%d %B %Y, %H:%M}"
    )
    for member in people:
        if member.user_id == link.owner_id:
            opening, ending = f"{what} in your class “{link.name}”.", _to_teacher(found, link)
        else:
            opening, ending = f"{what} in the class “{link.name}” of {name}.", _to_others(found, name)
        try:
            EmailMessage(subject, f"{opening}\n\n{facts}\n\n{ending}\n", to=[member.user.email]).send()
        except (OSError, ValueError):  # also an address or a subject that is none: others get theirs
            logger.exception("A mail about a flag could not be sent")
    return bool(people)


def _to_teacher(found: Flag | ErasedConcern, link: ClassLink) -> str:
    if isinstance(found, ErasedConcern):
        return "Nothing of what was written is left. Talk to the pupil, or to the counsellor of your school."
    message = found.message_id
    path = reverse("classrooms:answer", args=[message]) if message else reverse("classrooms:desk", args=[link.pk])
    address = _address(path)
    where = f"You can read it here:\n{address}" if address else "You can read it in Lectern: Classes, then the class."
    return f"{where}\n\nRules and models can be wrong. Read the whole conversation before you talk to the pupil."


def _to_others(found: Flag | ErasedConcern, teacher: str) -> str:
    if isinstance(found, ErasedConcern):
        left = f"Nothing of what was written is left. Only the teacher of the class, {teacher}, can tell who it is."
        return f"{left} Talk to them first."
    return (
        f"Only the teacher of the class, {teacher}, can read it and can tell who it is. Talk to them first. Rules and "
        "models can be wrong."
    )


def _address(path: str) -> str:
    """The page as the operator has named the address of this installation; empty where it has no public one."""
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        if "*" not in origin:
            return f"{origin.rstrip('/')}{path}"
    scheme = "https" if settings.HTTPS else "http"
    public = [host for host in settings.ALLOWED_HOSTS if host[0] not in "*.[" and host.strip("0123456789.")]
    return next((f"{scheme}://{host}{path}" for host in public if host not in ("localhost", "testserver")), "")
