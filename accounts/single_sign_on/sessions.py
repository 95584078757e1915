"""Sessions that began at a school's provider: they enter that school only, and end with what let them in.

Higher apps register other things that let people in, with `register`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from django.contrib.auth import logout
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.models import Identity
from schools.audit.recording import SIGNED_IN_BY
from schools.http import ONLY_SCHOOL
from schools.models import User

_KEY = "single_sign_on"  # of the session
HINT = "id_token_hint"  # of the session: the issuer wants its token back when the person signs out
LONGEST = 12 * 3600
"""Seconds: the issuer is asked again, once a day, whether the person is still one of its people."""


class Voucher(Protocol):
    """A row that says who somebody is in one school. Its `provider` has a name for people."""

    @property
    def pk(self) -> Any: ...
    @property
    def user(self) -> Any: ...
    @property
    def user_id(self) -> Any: ...
    @property
    def school(self) -> Any: ...
    @property
    def school_id(self) -> Any: ...
    @property
    def provider(self) -> Any: ...
    @property
    def holds(self) -> bool:
        """Whether it still lets its person in."""

    def note_used(self) -> None:
        """Its person signs in by it now."""


def _identity(pk: str) -> Identity | None:
    return Identity.objects.select_related("provider", "school").filter(pk=pk).first()


_finders: dict[str, Callable[[str], Voucher | None]] = {"Identity": _identity}


def register(kind: type[Voucher], find: Callable[[str], Voucher | None]) -> None:
    """Sessions may begin with rows of this model too; `find` gets one by its key."""
    _finders[kind.__name__] = find


def mark(request: HttpRequest, identity: Voucher) -> None:
    """The sign-in that goes on now was begun by this identity. A second factor may come in between."""
    until = int(time.time()) + LONGEST
    request.session[_KEY] = {"kind": type(identity).__name__, "identity": str(identity.pk), "until": until}
    request.session[SIGNED_IN_BY] = identity.provider.name
    request.session[ONLY_SCHOOL] = str(identity.school_id)
    request.session.set_expiry(0)


def unmark(request: HttpRequest) -> None:
    """The person proved the account itself."""
    for key in (_KEY, SIGNED_IN_BY, ONLY_SCHOOL, HINT):
        request.session.pop(key, None)


def proved(request: HttpRequest, method: str, **details: Any) -> None:
    """A signal of allauth: with the password, or a passkey instead of it, the session is an ordinary one."""
    if method == "password" or (method == "mfa" and details.get("passwordless")):
        unmark(request)


def identity_of(request: HttpRequest) -> Voucher | None:
    """By which the session began; None for an ordinary one. Once `watch` is at work it is a valid one."""
    session = getattr(request, "session", None)
    mark = session.get(_KEY) if session is not None else None
    if not mark:
        return None
    known: Voucher | None = getattr(request, "_identity", None)
    if known is None or str(known.pk) != mark["identity"]:
        find = _finders.get(mark.get("kind", "Identity"))
        known = find(mark["identity"]) if find else None
        request._identity = known  # type: ignore[attr-defined]
    return known


def is_marked(request: HttpRequest) -> bool:
    session = getattr(request, "session", None)
    return bool(session is not None and session.get(_KEY))


def watch(request: HttpRequest) -> None:
    """Make `request.user` anonymous, and end the session, if what let the person in does not hold any more."""
    user = request.user

    def checked() -> Any:
        if user.is_authenticated and is_marked(request) and not _holds(request, user):
            request.user = user  # for logout, which would come back here
            logout(request)
            return request.user
        return user

    request.user = SimpleLazyObject(checked)  # type: ignore[assignment]


def _holds(request: HttpRequest, user: User) -> bool:
    identity = identity_of(request)
    return (
        identity is not None
        and identity.user_id == user.pk
        and identity.holds
        and request.session.get(ONLY_SCHOOL) == str(identity.school_id)
        and time.time() < request.session[_KEY]["until"]
        and not (user.is_staff or user.is_superuser)
        and user.memberships.joined().filter(school=identity.school_id).exists()
    )
