"""Whom a verified identity opens Lectern to. No account is ever connected without the person's own proof."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from accounts import invitations
from accounts.models import Identity, IdentityProvider
from accounts.single_sign_on import sessions, vouchers
from accounts.single_sign_on.claims import Person
from accounts.single_sign_on.vouchers import Refused
from schools import services
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, Role, User

_PENDING = "identity_to_connect"  # of the session
MAX_SECONDS = 1800
"""In which a person has to prove the account."""


def enter(
    request: HttpRequest, provider: IdentityProvider, person: Person, state: dict[str, Any], **more: str
) -> HttpResponseBase:
    """Sign in whom this identity belongs to, or ask for what is missing. `more` is for the session. Raise Refused."""
    rows = Identity.objects.select_related("user").filter(provider=provider, issuer=provider.issuer)
    identity = rows.filter(subject=person.subject).first() or _join_by_invitation(request, provider, person, state)
    if identity is None:
        user = User.objects.with_address(person.email).first()
        _check_may_come(provider, user)
        if user is not None:
            return _ask_for_proof(request, provider, person, user)
        identity = _join_as_newcomer(provider, person)
    response = vouchers.sign_in(request, identity, state.get("next") or "", **more)
    request.session.pop(invitations.SESSION_KEY, None)
    return response


def _check_may_come(provider: IdentityProvider, user: User | None) -> None:
    """Raise Refused for whoever could not come in after all proofs either."""
    member = Membership.objects.filter(school=provider.school_id, user=user).first() if user else None
    if user is not None:
        vouchers.check_account(user)
    if member is None and not provider.joins:
        raise Refused("not-invited")
    if user is not None and member is not None and member.invited_at and not user.has_usable_password():
        raise Refused("invitation")


@transaction.atomic
def _join_as_newcomer(provider: IdentityProvider, person: Person) -> Identity:
    """Make an account without a password for somebody of whom nobody here has heard: the school lets its domain in."""
    user = User.objects.create(email=person.email, name=person.name, password=make_password(None))
    _find_or_make_member(user, provider, person)
    return _connect(provider, person, user)


@transaction.atomic
def _join_by_invitation(
    request: HttpRequest, provider: IdentityProvider, person: Person, state: dict[str, Any]
) -> Identity | None:
    """Let the link of the mail prove the account, if the person came by one. Raise Refused."""
    pk, key = (state.get("data") or {}).get("invitation"), request.session.get(invitations.SESSION_KEY, "")
    membership = invitations.find_invited(int(pk), key) if pk and key else None
    if membership is None or membership.school_id != provider.school_id:
        return None
    if membership.user.email.lower() != person.email:
        raise Refused("other-person")
    vouchers.check_account(membership.user)
    services.join(membership)
    return _connect(provider, person, membership.user)


def _ask_for_proof(request: HttpRequest, provider: IdentityProvider, person: Person, user: User) -> HttpResponseBase:
    """Let the owner of the account with this address sign in to it, and ask then whether to connect the two."""
    pending = {
        "provider": str(provider.pk),
        "person": [person.subject, person.email, person.name],
        "user": str(user.pk),
        "until": int(time.time()) + MAX_SECONDS,
    }
    notice = (
        f"There is an account for {person.email} already. Sign in to it once with its password. Then it can be "
        f"connected with {provider.name}. If it has no password yet, choose “Forgot your password?” first."
    )
    return vouchers.ask_for_proof(request, reverse("account_sso_connect"), notice, user=user, **{_PENDING: pending})


def find_pending(request: HttpRequest) -> tuple[IdentityProvider, Person] | None:
    """Find what the signed-in person may connect with their account now."""
    pending = request.session.get(_PENDING) or {}
    if not pending or pending["until"] < time.time() or pending["user"] != str(request.user.pk):
        return None
    rows = IdentityProvider.objects.working().select_related("school").filter(pk=UUID(pending["provider"]))
    provider = None if sessions.is_marked(request) else rows.first()
    return (provider, Person(*pending["person"])) if provider else None


def forget_pending(request: HttpRequest) -> None:
    request.session.pop(_PENDING, None)


def find_membership_to_join(user: User, provider: IdentityProvider, person: Person) -> Membership | None:
    """The membership that connecting begins, perhaps not stored yet; None for a member."""
    rows = Membership.objects.filter(school=provider.school, user=user)
    found = rows.first()
    if found is None:
        return Membership(school=provider.school, user=user, role=Role.TEACHER, known_as=person.name)
    return found if found.invited_at else None


@transaction.atomic
def connect(user: User, provider: IdentityProvider, person: Person) -> None:
    """Connect the account, which its owner has proved, and join the school. Raise Refused."""
    _check_may_come(provider, user)
    services.join(_find_or_make_member(user, provider, person))
    _connect(provider, person, user)


def _connect(provider: IdentityProvider, person: Person, user: User) -> Identity:
    known = {"issuer": provider.issuer, "subject": person.subject}
    return vouchers.connect(Identity, provider, user, more={"email": person.email}, **known)


def _find_or_make_member(user: User, provider: IdentityProvider, person: Person) -> Membership:
    membership, is_new = Membership.objects.get_or_create(
        school=provider.school, user=user, defaults={"role": Role.TEACHER, "known_as": person.name}
    )
    if is_new:
        detail = {"provider": provider.name}
        record(Action.SSO_JOINED, school=provider.school_id, actor=user, subject=user, label=person.name, detail=detail)
    return membership
