"""Services: let somebody in by what vouches for them, once its owner has connected it with the account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar
from uuid import UUID

from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth import logout
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts.models import Provider, Voucher
from accounts.single_sign_on import sessions
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import SESSION_KEY
from schools.models import Membership, User

V = TypeVar("V", bound=Voucher)


class Refused(Exception):
    """The person is not let in. `code` is for the audit log; the page has words for it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def check_account(user: User) -> None:
    """Raise Refused for whomever nothing but their own password lets in."""
    if user.is_staff or user.is_superuser:
        raise Refused("operator")
    if not user.is_active:
        raise Refused("inactive")


def check_may_enter(user: User, school: UUID) -> None:
    """Raise Refused for these too, and for who is no member."""
    check_account(user)
    if not Membership.objects.joined().filter(school=school, user=user).exists():
        raise Refused("removed")


def sign_in(request: HttpRequest, voucher: Voucher, next_url: str, **more: object) -> HttpResponseBase:
    """Begin a session by it, which may not last when it ends. `more` goes into the session. Raise Refused."""
    check_may_enter(voucher.user, voucher.school_id)
    if request.user.is_authenticated:
        logout(request)
    voucher.note_used()
    sessions.mark(request, voucher)
    request.session[SESSION_KEY] = str(voucher.school_id)
    request.session.update(more)
    response: HttpResponseBase = perform_login(request, voucher.user, redirect_url=next_url or reverse("home"))
    return response


def ask_for_proof(
    request: HttpRequest, address: str, notice: str, *, user: User | None = None, **more: object
) -> HttpResponseBase:
    """Lead whoever is signed in by their own proof to `address`, and others first to sign in, with a notice.

    With `user` it must be that person. `more` goes into the session.
    """
    is_proved = request.user.is_authenticated and not sessions.is_marked(request)
    if user is not None and request.user.pk != user.pk:
        is_proved = False
    if request.user.is_authenticated and not is_proved:
        logout(request)
    request.session.update(more)
    if is_proved:
        return redirect(address)
    messages.info(request, notice)
    return redirect(f"{reverse('account_login')}?next={address}")


@transaction.atomic
def connect(kind: type[V], provider: Provider, user: User, *, more: Mapping[str, str] | None = None, **known: str) -> V:
    """Connect an account, which its owner has proved, with whom the provider knows.

    Raise Refused if that is another person's already. `more` is stored beside it.
    """
    row, is_new = kind._default_manager.get_or_create(
        school_id=provider.school_id, provider=provider, **known, defaults={"user": user, **(more or {})}
    )
    if row.user_id != user.pk:
        raise Refused("connected")
    if is_new:
        _record(Action.IDENTITY_CONNECTED, row)
    return row


@transaction.atomic
def disconnect(voucher: Voucher) -> None:
    """Let the person in by their own proof only from now on. Sessions that it began end."""
    _record(Action.IDENTITY_DISCONNECTED, voucher)
    voucher.delete()


def forget_member(instance: Membership, **_: object) -> None:
    """Receive that a membership has ended: nothing in the school vouches for the person any more."""
    for kind in Voucher.__subclasses__():
        kind._base_manager.filter(school=instance.school_id, user=instance.user_id).delete()


@transaction.atomic
def switch(provider: Provider, action: Action, *, is_on: bool) -> str:
    """Let nobody of the school in by it any more, or again. Return the new state in a word."""
    provider.is_on = is_on
    provider.save(update_fields=["is_on"])
    state = "on" if is_on else "off"
    record(action, school=provider.school_id, subject=provider, label=provider.name, detail={"now": state})
    return state


def _record(action: Action, voucher: Voucher) -> None:
    detail = {"provider": voucher.provider.name}
    record(action, school=voucher.school_id, actor=voucher.user, subject=voucher.user, detail=detail)
