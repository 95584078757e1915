"""Pupils who come from a platform: the same one on each launch, of whom nothing is known but a keyed hash."""

from __future__ import annotations

import secrets

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.crypto import salted_hmac

from classrooms.joining import pupils, visiting
from classrooms.joining.nicknames import offer
from classrooms.models import ClassLink, ClassState
from lti import grades, resource_links
from lti.launch import Launch
from lti.models import Platform, PupilIdentity

_TRIES = 5


def let_pupil_in(request: HttpRequest, platform: Platform, launch: Launch) -> HttpResponseBase:
    """Let a pupil into the class that the activity opens, or say politely why not."""
    link = resource_links.find_resource_link(platform, launch)
    if link is None:
        return render(request, "lti/not_yet.html", {"platform": platform}, status=404)
    class_link = link.class_link
    state = ClassState.SWITCHED_OFF if class_link.is_switched_off() else class_link.state()
    if state != ClassState.OPEN:
        return visiting.show_not_now(request, class_link, state)
    try:
        identity = _identity(platform, class_link, launch.subject)
    except pupils.JoinRefused as reason:
        return visiting.show_message(request, str(reason), 403)
    if class_link.notes_names and launch.name and not hasattr(identity.pupil, "real_name"):
        pupils.note_real_name(identity.pupil, launch.name)  # what the teacher wrote stays
    grades.remember(identity, link, launch)
    response = redirect(resource_links.get_room_address(link))
    visiting.remember(response, identity.pupil)
    return response


def compute_digest(link: ClassLink, platform: Platform, subject: str) -> str:
    """The keyed hash by which a pupil is known again, another one in each class."""
    named = f"{link.pk}\n{platform.issuer}\n{subject}"
    return salted_hmac("lti.pupil", named, algorithm="sha256").hexdigest()


def _identity(platform: Platform, link: ClassLink, subject: str) -> PupilIdentity:
    """The one of before, or that of a new pupil with a nickname by chance. Raises JoinRefused."""
    digest = compute_digest(link, platform, subject)
    rows = PupilIdentity.objects.select_related("pupil__class_link").filter(platform=platform, digest=digest)
    for attempt in range(_TRIES):
        if known := rows.first():
            return known
        try:
            with transaction.atomic():
                pupil = pupils.join(link, _nickname(link)).pupil
                return PupilIdentity.objects.create(
                    school_id=link.school_id, platform=platform, pupil=pupil, digest=digest
                )
        except (IntegrityError, pupils.JoinRefused) as problem:  # two at once, or the class is full
            if isinstance(problem, pupils.JoinRefused) and attempt == _TRIES - 1:
                raise
    raise pupils.JoinRefused("Too many came at once. Try again.")


def _nickname(link: ClassLink) -> str:
    free = offer(set(link.pupils.values_list("nickname", flat=True)))
    return secrets.choice(free) if free else ""
