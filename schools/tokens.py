"""Services: make, check and revoke access tokens."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import get_random_string

from schools import rate_limits
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.built_once import build_once
from schools.models import AccessToken, Membership, Scope, User

MAX_TOKENS = 50
"""The most tokens of one member, so that a faulty script cannot fill the table."""

_BEGINNING = "lectern_"  # by which scanners for leaked secrets, and people, know what they found
_SHOWN = len(_BEGINNING) + 4


class TokenRefused(Exception):
    """A token cannot be made. The message tells the person why."""


@transaction.atomic
def make(
    *, member: Membership, name: str, scope: Scope = Scope.READ, days: int | None = None
) -> tuple[AccessToken, str]:
    """A new token and its secret, which is not stored. Without `days` the token does not expire.

    Raises TokenRefused when the member has too many already, or made many lately.
    """
    Membership.objects.select_for_update(no_key=True).filter(pk=member.pk).values("pk").first()  # count and store
    if AccessToken.objects.for_member(member).count() >= MAX_TOKENS:
        raise TokenRefused(f"You have {MAX_TOKENS} access tokens, which is the most. Revoke one you do not use first.")
    if not rate_limits.take(rate_limits.NEW_TOKENS, member.school_id, member.pk).allowed:
        raise TokenRefused("You have made many access tokens lately. Wait an hour, then make another.")
    secret = _BEGINNING + get_random_string(40)
    now = timezone.now()
    token = AccessToken.objects.create(
        school_id=member.school_id,
        membership=member,
        name=name,
        prefix=secret[:_SHOWN],
        digest=_digest(secret),
        scope=scope,
        created_at=now,
        expires_at=now + timedelta(days=days) if days else None,
    )
    _record(Action.TOKEN_CREATED, token, member.user, scope=token.scope)
    return token, secret


@transaction.atomic
def revoke(token: AccessToken) -> None:
    """Revoke a token. The next request with it is refused."""
    if AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        _record(Action.TOKEN_REVOKED, token, token.membership.user)


def revoke_all(user: User) -> None:
    """Revoke every token of a person, in all their schools."""
    for token in AccessToken.objects.filter(membership__user=user, revoked_at__isnull=True):
        revoke(token)


def _record(action: Action, token: AccessToken, owner: User, **detail: str) -> None:
    about = {"token_of": owner.email, **detail}
    record(action, school=token.school_id, subject=token, label=str(token), detail=about)


def recognise(secret: str) -> AccessToken | None:
    """The active token with this secret, with its membership, school and person, else None.

    Every request asks the database, so a token that was revoked or expired, or whose person's account was switched
    off, is refused at once. `last_used_at` is written once a minute at most.
    """
    now = timezone.now()
    token = next(iter(_fetch_tokens(_digest(secret), now)), None)
    if token and (token.last_used_at is None or token.last_used_at <= now - timedelta(minutes=1)):
        stale = Q(last_used_at__isnull=True) | Q(last_used_at=token.last_used_at)
        AccessToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    return token


@build_once("a digest", datetime(2000, 1, 1, tzinfo=UTC))
def _fetch_tokens(digest: str, now: datetime) -> QuerySet[AccessToken]:
    tokens = AccessToken.objects.active(now).filter(digest=digest, membership__user__is_active=True)
    return tokens.select_related("membership__school", "membership__user")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
