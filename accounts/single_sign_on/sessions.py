"""Sessions that a voucher began: they enter its school only, and end with it."""

from __future__ import annotations

import time

from django.apps import apps
from django.contrib.auth import logout
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.models import Voucher
from schools.audit.recording import SIGNED_IN_BY
from schools.http import ONLY_SCHOOL
from schools.models import User

_KEY = "single_sign_on"  # of the session
HINT = "id_token_hint"  # of the session: the issuer wants its token back when the person signs out
MAX_SECONDS = 12 * 3600
"""The issuer is asked again, once a day, whether the person is still one of its people."""


def mark(request: HttpRequest, voucher: Voucher) -> None:
    """Note that this began the sign-in that goes on now. A second factor may come in between."""
    until = int(time.time()) + MAX_SECONDS
    request.session[_KEY] = {"kind": voucher._meta.label, "identity": str(voucher.pk), "until": until}
    request.session[SIGNED_IN_BY] = voucher.provider.name
    request.session[ONLY_SCHOOL] = str(voucher.school_id)
    request.session.set_expiry(0)


def record_proof(request: HttpRequest, method: str, **details: object) -> None:
    """Receive that somebody proved who they are: by password, or passkey instead, the session is an ordinary one."""
    if method == "password" or (method == "mfa" and details.get("passwordless")):
        unmark(request)


def unmark(request: HttpRequest) -> None:
    """Make the session an ordinary one."""
    for key in (_KEY, SIGNED_IN_BY, ONLY_SCHOOL, HINT):
        request.session.pop(key, None)


def find_voucher(request: HttpRequest) -> Voucher | None:
    """What began the session; None for an ordinary one. Once `watch` is at work it is a valid one."""
    if not is_marked(request):
        return None
    mark = request.session[_KEY]
    voucher: Voucher | None = getattr(request, "_voucher", None)
    if voucher is None or str(voucher.pk) != mark["identity"]:
        rows = apps.get_model(mark["kind"])._base_manager.select_related("provider", "school")
        voucher = rows.filter(pk=mark["identity"]).first()
        request._voucher = voucher  # type: ignore[attr-defined]
    return voucher


def is_marked(request: HttpRequest) -> bool:
    """Whether a voucher began the session."""
    return bool(getattr(request, "session", None) and request.session.get(_KEY))


def watch(request: HttpRequest) -> None:
    """Make `request.user` anonymous, and end the session, if what let the person in does not hold any more."""
    user = request.user

    def check() -> object:
        if user.is_authenticated and is_marked(request) and not _holds(request, user):
            request.user = user  # for logout, which would come back here
            logout(request)
            return request.user
        return user

    request.user = SimpleLazyObject(check)  # type: ignore[assignment]


def _holds(request: HttpRequest, user: User) -> bool:
    voucher = find_voucher(request)
    return (
        voucher is not None
        and voucher.user_id == user.pk
        and voucher.holds
        and request.session.get(ONLY_SCHOOL) == str(voucher.school_id)
        and time.time() < request.session[_KEY]["until"]
        and not (user.is_staff or user.is_superuser)
        and user.memberships.joined().filter(school=voucher.school_id).exists()
    )
