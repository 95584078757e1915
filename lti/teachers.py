"""Teachers who come from a platform: connected by their own proof, then signed in. Nobody is found by an address."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts.single_sign_on import entering, sessions
from accounts.single_sign_on.claims import Refused
from lti import handshake
from lti.launch import Launch
from lti.models import Platform, TeacherIdentity
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import SESSION_KEY
from schools.models import Membership, User


def enter(request: HttpRequest, platform: Platform, launch: Launch, frame: str) -> HttpResponseBase:
    """Sign in whom the platform names, or ask for the person's own proof. Raises Refused."""
    key, kept = handshake.keep(request, launch, frame)
    identity = _find(platform, launch.subject)
    if identity is None:
        return _ask_for_proof(request, platform, key, kept)
    go = reverse("lti:go", args=[key])
    if not _keeps_session(request, identity):
        return entering.sign_in(request, identity, go, **kept)
    entering.check_may_enter(identity.user, identity.school_id)
    identity.note_used()
    if sessions.is_marked(request):
        sessions.mark(request, identity)
    request.session[SESSION_KEY] = str(identity.school_id)
    request.session.update(kept)
    return redirect(go)


def connect(user: User, platform: Platform, launch: Launch) -> TeacherIdentity:
    """Connect the account, to which its owner has signed in without any provider. Raises Refused."""
    try:
        entering.check_may_enter(user, platform.school_id)
    except Refused as refusal:
        raise Refused("not-member" if refusal.code == "removed" else refusal.code) from refusal
    with transaction.atomic():
        identity, is_new = TeacherIdentity.objects.get_or_create(
            school_id=platform.school_id, platform=platform, subject=launch.subject, defaults={"user": user}
        )
        if is_new:
            _record(Action.IDENTITY_CONNECTED, identity)
    if identity.user_id != user.pk:
        raise Refused("connected")
    return identity


@transaction.atomic
def disconnect(identity: TeacherIdentity) -> None:
    """The person signs in with their own password only from now on. Sessions that it began end."""
    _record(Action.IDENTITY_DISCONNECTED, identity)
    identity.delete()


def removed(instance: Membership, **_: Any) -> None:
    """Receiver: whoever leaves a school is connected with none of its platforms any more."""
    TeacherIdentity.objects.filter(school=instance.school_id, user=instance.user_id).delete()


def find_voucher(pk: str) -> TeacherIdentity | None:
    """For `accounts.single_sign_on.sessions`."""
    return TeacherIdentity.objects.select_related("platform", "school", "user").filter(pk=pk).first()


def is_of(user: User, platform: Platform, launch: Launch) -> bool:
    """Whether a launch is this person's."""
    identity = _find(platform, launch.subject)
    return identity is not None and identity.user_id == user.pk


def _find(platform: Platform, subject: str) -> TeacherIdentity | None:
    rows = TeacherIdentity.objects.select_related("platform", "school", "user")
    return rows.filter(platform=platform, subject=subject).first()


def _keeps_session(request: HttpRequest, identity: TeacherIdentity) -> bool:
    """Whether the same person is signed in here already, by their own proof or by this very connection."""
    if request.user.pk != identity.user_id:
        return False
    by = sessions.identity_of(request) if sessions.is_marked(request) else None
    return not sessions.is_marked(request) or (isinstance(by, TeacherIdentity) and by.pk == identity.pk)


def _ask_for_proof(request: HttpRequest, platform: Platform, key: str, kept: dict[str, Any]) -> HttpResponseBase:
    """Whoever is signed in by their own proof is asked at once, others sign in first."""
    is_proved = request.user.is_authenticated and not sessions.is_marked(request)
    if request.user.is_authenticated and not is_proved:
        logout(request)
    request.session.update(kept)
    address = reverse("lti:connect", args=[key])
    if is_proved:
        return redirect(address)
    messages.info(
        request,
        f"You come from {platform.name}. Sign in once with your account in Lectern, which your school has given you. "
        "Then the two can be connected, and from then on you come in from there at once.",
    )
    return redirect(f"{reverse('account_login')}?next={address}")


def _record(action: Action, identity: TeacherIdentity) -> None:
    detail = {"provider": identity.platform.name}
    record(action, school=identity.school_id, actor=identity.user, subject=identity.user, detail=detail)
