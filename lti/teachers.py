"""Teachers who come from a platform: connected by their own proof, then signed in. Nobody is found by an address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts.single_sign_on import sessions, vouchers
from lti import handshake
from lti.launch import Launch
from lti.models import Platform, TeacherIdentity
from schools.http import SESSION_KEY
from schools.models import User


def let_teacher_in(request: HttpRequest, platform: Platform, launch: Launch, frame: str) -> HttpResponseBase:
    """Sign in whom the platform names, or ask for the person's own proof. Raise Refused."""
    key, more = handshake.keep(request, launch, frame)
    identity = _find(platform, launch)
    if identity is None:
        notice = (
            f"You come from {platform.name}. Sign in once with your account in Lectern, which your school has given "
            "you. Then the two can be connected, and from then on you come in from there at once."
        )
        return vouchers.ask_for_proof(request, reverse("lti:connect", args=[key]), notice, **more)
    go = reverse("lti:go", args=[key])
    if not _keeps_session(request, identity):
        return vouchers.sign_in(request, identity, go, **more)
    vouchers.check_may_enter(identity.user, identity.school_id)
    identity.note_used()
    if sessions.is_marked(request):
        sessions.mark(request, identity)
    request.session[SESSION_KEY] = str(identity.school_id)
    request.session.update(more)
    return redirect(go)


def is_launch_by(user: User, platform: Platform, launch: Launch) -> bool:
    """Whether a launch is this person's."""
    identity = _find(platform, launch)
    return identity is not None and identity.user_id == user.pk


def _find(platform: Platform, launch: Launch) -> TeacherIdentity | None:
    rows = TeacherIdentity.objects.select_related("provider", "school", "user")
    return rows.filter(provider=platform, subject=launch.subject).first()


def _keeps_session(request: HttpRequest, identity: TeacherIdentity) -> bool:
    """Whether the same person is signed in here already, by their own proof or by this very connection."""
    if request.user.pk != identity.user_id:
        return False
    return not sessions.is_marked(request) or sessions.find_voucher(request) == identity
