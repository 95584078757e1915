"""Whom a verified identity opens Lectern to. No account is ever connected without the person's own proof."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts import invitations
from accounts.models import Identity, IdentityProvider
from accounts.single_sign_on import sessions
from accounts.single_sign_on.claims import Known, Refused
from accounts.single_sign_on.sessions import Voucher
from schools import services
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import SESSION_KEY
from schools.models import Membership, Role, User

INVITATION = "invitation"  # of the session: the key that `invitation_views` keeps there
_PENDING = "identity_to_connect"  # of the session
PATIENCE = 1800
"""Seconds in which a person has to prove the account."""


def enter(
    request: HttpRequest, provider: IdentityProvider, known: Known, state: dict[str, Any], **kept: str
) -> HttpResponseBase:
    """Sign in whom this identity belongs to, or ask for what is missing. `kept` is for the session. Raises Refused."""
    data = state.get("data") or {}
    rows = Identity.objects.select_related("user").filter(provider=provider, issuer=provider.issuer)
    identity = rows.filter(subject=known.subject).first()
    if identity is None and data.get("invitation"):
        identity = _by_invitation(request, provider, known, data["invitation"])
    if identity is None:
        user = User.objects.with_address(known.email).first()
        _may_come(provider, user)
        if user is not None:
            return _ask_for_proof(request, provider, known, user)
        identity = _new_person(provider, known)
    response = sign_in(request, identity, state.get("next") or "", **kept)
    request.session.pop(INVITATION, None)
    return response


def _may_come(provider: IdentityProvider, user: User | None) -> None:
    """Raises Refused for whoever could not come in after all proofs either."""
    if user is not None and (user.is_staff or user.is_superuser):
        raise Refused("operator")
    if user is not None and not user.is_active:
        raise Refused("inactive")
    member = Membership.objects.filter(school=provider.school_id, user=user).first() if user else None
    if member is None and not provider.joins:
        raise Refused("not-invited")
    if user is not None and member is not None and member.invited_at and not user.has_usable_password():
        raise Refused("invitation")


def check_may_enter(user: User, school: UUID) -> None:
    """Raises Refused for whomever nothing but their own password lets in, and for who is no member."""
    if user.is_staff or user.is_superuser:
        raise Refused("operator")
    if not user.is_active:
        raise Refused("inactive")
    if not Membership.objects.joined().filter(school=school, user=user).exists():
        raise Refused("removed")


def sign_in(request: HttpRequest, identity: Voucher, next_url: str, **kept: Any) -> HttpResponseBase:
    """Begin a session by this identity, which may not last when it ends. `kept` goes into it. Raises Refused."""
    check_may_enter(identity.user, identity.school_id)
    if request.user.is_authenticated:
        logout(request)
    identity.note_used()
    sessions.mark(request, identity)
    request.session[SESSION_KEY] = str(identity.school_id)
    request.session.update(kept)
    response: HttpResponseBase = perform_login(request, identity.user, redirect_url=next_url or reverse("home"))
    return response


@transaction.atomic
def _new_person(provider: IdentityProvider, known: Known) -> Identity:
    """An account without a password for somebody of whom nobody here has heard. The school lets its domain in."""
    user = User.objects.create(email=known.email, name=known.name, password=make_password(None))
    Membership.objects.create(school=provider.school, user=user, role=Role.TEACHER, known_as=known.name)
    _record_joining(provider, user, known.name)
    return _connect(provider, known, user)


@transaction.atomic
def _by_invitation(request: HttpRequest, provider: IdentityProvider, known: Known, pk: Any) -> Identity | None:
    """The link of the mail proves the account. Raises Refused."""
    key = request.session.get(INVITATION, "")
    membership = invitations.invited(int(pk), key) if str(pk).isdigit() and key else None
    if membership is None or membership.school_id != provider.school_id:
        return None
    user = membership.user
    if user.email.lower() != known.email:
        raise Refused("other-person")
    _may_come_by_link(user)
    services.join(membership)
    return _connect(provider, known, user)


def _may_come_by_link(user: User) -> None:
    if user.is_staff or user.is_superuser:
        raise Refused("operator")


def _connect(provider: IdentityProvider, known: Known, user: User) -> Identity:
    identity, is_new = Identity.objects.get_or_create(
        school=provider.school,
        provider=provider,
        issuer=provider.issuer,
        subject=known.subject,
        defaults={"user": user, "email": known.email},
    )
    if is_new:
        record(Action.IDENTITY_CONNECTED, school=provider.school_id, actor=user, subject=user, detail=_by(provider))
    return identity


def _ask_for_proof(request: HttpRequest, provider: IdentityProvider, known: Known, user: User) -> HttpResponseBase:
    """The address has an account: its owner signs in to it, and is then asked whether to connect the two."""
    is_proved = request.user.pk == user.pk and not sessions.is_marked(request)
    if request.user.is_authenticated and not is_proved:
        logout(request)
    request.session[_PENDING] = {
        "provider": str(provider.pk),
        "subject": known.subject,
        "email": known.email,
        "name": known.name,
        "user": str(user.pk),
        "until": int(time.time()) + PATIENCE,
    }
    connect = reverse("account_sso_connect")
    if is_proved:
        return redirect(connect)
    messages.info(
        request,
        f"There is an account for {known.email} already. Sign in to it once with its password. Then it can be "
        f"connected with {provider.name}. If it has no password yet, choose “Forgot your password?” first.",
    )
    return redirect(f"{reverse('account_login')}?next={connect}")


def pending(request: HttpRequest) -> tuple[IdentityProvider, Known] | None:
    """What the signed-in person may connect with their account now; None if there is nothing."""
    stored = request.session.get(_PENDING) or {}
    if not stored or stored["until"] < time.time() or stored["user"] != str(request.user.pk):
        return None
    if sessions.is_marked(request):
        return None
    provider = IdentityProvider.objects.working().select_related("school").filter(pk=UUID(stored["provider"])).first()
    return (provider, Known(stored["subject"], stored["email"], stored["name"])) if provider else None


def forget_pending(request: HttpRequest) -> None:
    request.session.pop(_PENDING, None)


def to_join(user: User, provider: IdentityProvider, known: Known) -> Membership | None:
    """The membership that connecting begins, perhaps not stored yet; None for a member."""
    found = Membership.objects.filter(school=provider.school, user=user).first()
    if found is None:
        return Membership(school=provider.school, user=user, role=Role.TEACHER, known_as=known.name)
    return found if found.invited_at else None


@transaction.atomic
def connect(user: User, provider: IdentityProvider, known: Known) -> Identity:
    """Connect the account, which its owner has proved, and join the school. Raises Refused."""
    _may_come(provider, user)
    name = known.name
    membership, is_new = Membership.objects.get_or_create(
        school=provider.school, user=user, defaults={"role": Role.TEACHER, "known_as": name}
    )
    if is_new:
        _record_joining(provider, user, name)
    services.join(membership)
    identity = _connect(provider, known, user)
    if identity.user_id != user.pk:
        raise Refused("other-person")
    return identity


def member_removed(instance: Membership, **_: Any) -> None:
    """Receiver: whoever leaves a school is known there by none of its providers any more."""
    Identity.objects.filter(school=instance.school_id, user=instance.user_id).delete()


@transaction.atomic
def disconnect(identity: Identity) -> None:
    """The person signs in with the password only from now on."""
    by = _by(identity.provider)
    record(Action.IDENTITY_DISCONNECTED, school=identity.school_id, subject=identity.user, detail=by)
    identity.delete()


def _record_joining(provider: IdentityProvider, user: User, name: str) -> None:
    by = _by(provider)
    record(Action.SSO_JOINED, school=provider.school_id, actor=user, subject=user, label=name, detail=by)


def _by(provider: IdentityProvider) -> dict[str, str]:
    return {"provider": provider.name}
