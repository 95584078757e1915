"""Sign-ins, failed sign-ins and sign-outs, which Django tells by signals."""

from __future__ import annotations

from django.http import HttpRequest

from schools.audit.actions import Action
from schools.audit.recording import SIGNED_IN_BY, current_request, record
from schools.http import SESSION_KEY
from schools.models import Membership, School, User


def record_sign_in(request: HttpRequest, user: User, **_: object) -> None:
    name = request.session.get(SIGNED_IN_BY)
    by = {"by": name} if name else {}
    record(Action.SIGNED_IN, school=find_entered_school(user, request), actor=user, subject=user, detail=by)


def record_sign_out(request: HttpRequest, user: User | None, **_: object) -> None:
    if user is not None:
        record(Action.SIGNED_OUT, school=find_entered_school(user, request), actor=user, subject=user)


def sign_in_failed(credentials: dict[str, object], request: HttpRequest | None = None, **_: object) -> None:
    """What was typed is kept only if it is the address of an account: people type passwords there by mistake."""
    typed = str(credentials.get("email") or credentials.get("username") or "").replace("\0", "")
    user = User.objects.with_address(typed).first()
    school = find_entered_school(user, request) if user else None
    record(Action.SIGN_IN_FAILED, school=school, subject=user, label=user.email if user else "")


def find_entered_school(user: User, request: HttpRequest | None = None) -> School | None:
    """The school in which the person acts, chosen as `schools.http` does; without a session their oldest one."""
    request = request or current_request.get()
    session = getattr(request, "session", None) or {}
    chosen = session.get(SESSION_KEY) if getattr(request, "user", None) == user else None
    rows = Membership.objects.joined().filter(user=user).select_related("school").order_by("created_at", "pk")
    member = min(rows, key=lambda one: str(one.school_id) != chosen, default=None)
    return member.school if member else None
