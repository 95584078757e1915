"""Services: the second factors of a person, which django-allauth keeps."""

from __future__ import annotations

import hmac
import time
from base64 import b32decode
from collections.abc import Iterable
from uuid import UUID

from allauth.account.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import decrypt
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts import browsers
from accounts.audit import find_entered_school
from schools import tokens
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, User

Kind = Authenticator.Type

WORDS = {
    Kind.TOTP: "authenticator app",
    Kind.WEBAUTHN: "passkey",
    Kind.RECOVERY_CODES: "recovery codes",
}


class ResetRefused(Exception):
    """The factors of this person cannot be reset by this admin. The message tells why."""


def has_factor(user: object) -> bool:
    """Whether the person has an authenticator app or a passkey. Recovery codes alone are none."""
    return bool(Authenticator.objects.filter(user=user, type__in=[Kind.TOTP, Kind.WEBAUTHN]).exists())


def list_factor_names(user: object) -> list[str]:
    """What the person has: kinds, and the names that they gave their passkeys."""
    return [
        f"{WORDS[Kind(one.type)]}: {one}" if one.type == Kind.WEBAUTHN else WORDS[Kind(one.type)]
        for one in Authenticator.objects.filter(user=user).order_by("pk")
    ]


def list_without_factor(people: Iterable[Membership]) -> list[Membership]:
    """Those who have none, with one query."""
    members = list(people)
    having = find_with_factor(one.user_id for one in members)
    return [one for one in members if one.user_id not in having]


@transaction.atomic
def spend(authenticator: Authenticator, code: str) -> bool:
    """Whether a code of the authenticator app, which is right, is used for the first time.

    It is compared with the last one used in the database: the cache may forget it while it is still right.
    """
    row = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
    counter = max(_find_counters(row, code), default=-1)
    if counter <= row.data.get("last_counter", -1):
        return False
    row.data["last_counter"] = counter
    row.save(update_fields=["data"])
    return True


def is_spent(authenticator: Authenticator, code: str) -> bool:
    """Whether a code of the authenticator app is still right, and was used or passed over."""
    return any(counter <= authenticator.data.get("last_counter", -1) for counter in _find_counters(authenticator, code))


def compute_code(secret: str, counter: int) -> str:
    """Compute what an authenticator app shows in one of its half minutes (RFC 4226 and 6238)."""
    digest = hmac.digest(b32decode(secret, casefold=True), counter.to_bytes(8), "sha1")
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF
    return f"{number % 10**6:06}"


def _find_counters(authenticator: Authenticator, code: str) -> list[int]:
    """Find the half minutes that are right now, with their neighbours, in which the app shows this code."""
    typed, secret = "".join(filter(str.isalnum, code)), decrypt(authenticator.data["secret"])
    now = int(time.time()) // 30
    counters = range(now - settings.MFA_TOTP_TOLERANCE, now + settings.MFA_TOTP_TOLERANCE + 1)
    return [counter for counter in counters if constant_time_compare(typed, compute_code(secret, counter))]


def find_with_factor(people: Iterable[UUID]) -> set[UUID]:
    """Those of these people who have a second factor."""
    rows = Authenticator.objects.filter(user__in=list(people), type__in=[Kind.TOTP, Kind.WEBAUTHN])
    return set(rows.values_list("user", flat=True))


def check_may_reset(member: Membership, *, by: Membership) -> None:
    """Raises ResetRefused unless the person belongs to this school alone and is not the admin."""
    if member.pk == by.pk:
        raise ResetRefused("These are your own. You change them under “Signing in” in your menu.")
    if member.invited_at is not None:
        raise ResetRefused(f"{member.name} has not joined your school yet.")
    elsewhere = Membership.objects.joined().filter(user=member.user_id).exclude(pk=member.pk).exists()
    if elsewhere or member.user.is_staff or member.user.is_superuser:
        raise ResetRefused("Only the operator of this installation can do this for this account.")


@transaction.atomic
def reset(user: User, *, by: str) -> None:
    """Take all factors of a person away, end their sessions and revoke their tokens. They are told by mail.

    `by` says in the mail who did it. For somebody who has lost everything: then a password is all that is asked for.
    """
    Authenticator.objects.filter(user=user).delete()
    browsers.forget(user)
    tokens.revoke_all(user)
    record(Action.FACTORS_RESET, school=find_entered_school(user), subject=user, label=user.email)
    transaction.on_commit(
        lambda: get_adapter().send_notification_mail("mfa/email/factors_reset", user, context={"by": by})
    )


def handle_factor_added(request: HttpRequest, user: User, authenticator: Authenticator, **_: object) -> None:
    """Receiver of allauth’s signal. With the first factor all other sessions end: none of them was asked for one."""
    _record(Action.FACTOR_ADDED, user, authenticator)
    others = Authenticator.objects.filter(user=user, type__in=[Kind.TOTP, Kind.WEBAUTHN]).exclude(pk=authenticator.pk)
    if authenticator.type != Kind.RECOVERY_CODES and not others.exists():
        browsers.end_others(user, request.session.session_key)


def handle_factor_removed(user: User, authenticator: Authenticator, **_: object) -> None:
    """Receiver of allauth’s signal."""
    _record(Action.FACTOR_REMOVED, user, authenticator)


def handle_codes_made(user: User, authenticator: Authenticator, **_: object) -> None:
    """Receiver of allauth’s signal: recovery codes were made anew."""
    _record(Action.RECOVERY_CODES_MADE, user, authenticator)


def handle_wrong_code(user: User, authenticator: Authenticator, **_: object) -> None:
    """Receiver of allauth’s signal: the password was right, or somebody is signed in, and the code was not."""
    record(
        Action.SIGN_IN_FAILED,
        school=find_entered_school(user),
        subject=user,
        label=user.email,
        detail={"wrong": "code"},
    )


def _record(action: Action, user: User, authenticator: Authenticator) -> None:
    kind = Kind(authenticator.type)
    if kind == Kind.RECOVERY_CODES and action == Action.FACTOR_ADDED:
        action = Action.RECOVERY_CODES_MADE
    detail = {} if action == Action.RECOVERY_CODES_MADE else {"factor": WORDS[kind]}
    record(action, school=find_entered_school(user), actor=user, subject=user, label=user.email, detail=detail)
