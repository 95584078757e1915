"""What is said when nobody is signed in. Each refusal is in the audit log of the school."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from accounts.models import IdentityProvider
from accounts.single_sign_on import sessions
from accounts.single_sign_on.issuer import IssuerFailed
from schools import rate_limits
from schools.audit.actions import Action
from schools.audit.recording import record

P = ParamSpec("P")
logger = logging.getLogger(__name__)

REASONS_OF_ACCOUNT = {
    "operator": "Operators of this installation sign in with their password.",
    "inactive": "Your account in Lectern is switched off. Ask the operator of this installation.",
    "removed": "You are no longer a member of the school in Lectern. Ask an admin of your school.",
    "connected": "Another account in Lectern is connected already. Its owner can end that under “Connected accounts”.",
}
REASONS = REASONS_OF_ACCOUNT | {
    "no-subject": "It did not say who you are.",
    "no-address": "It did not tell us your e-mail address. Whoever keeps your school’s accounts can allow that.",
    "other-domain": "The account that you chose there is not one of your school. Choose another one.",
    "unverified": "It does not vouch for your e-mail address. Ask whoever keeps your school’s accounts.",
    "not-invited": "You are not a member of the school yet. Ask an admin of your school to invite you.",
    "invitation": "You are invited to the school. Open the link in the e-mail with the invitation, and choose "
    "“Join with {provider}” there.",
    "other-person": "This is not the account that was invited. Choose the one with the address that got the e-mail.",
}


def show_refusal(request: HttpRequest, provider: IdentityProvider, code: str) -> HttpResponse:
    """The issuer answered, and the person is not let in."""
    record(Action.SSO_REFUSED, school=provider.school_id, label=provider.name, detail={"reason": code})
    context = {"provider": provider, "reason": REASONS[code].format(provider=provider.name)}
    return render(request, "accounts/refused.html", context, status=403)


def show_failure(request: HttpRequest, provider: IdentityProvider, problem: BaseException | None) -> HttpResponse:
    """The issuer did not answer as it should, or the browser came back without having been sent.

    Anybody can do the latter, so one network gets a few entries a minute.
    """
    reason = str(problem) if isinstance(problem, IssuerFailed) else type(problem).__name__ if problem else "no code"
    logger.warning("Sign-in by %s (%s) failed: %s", provider.name, provider.pk, reason)
    if rate_limits.take(rate_limits.SSO_FAILURES, provider.pk, rate_limits.get_client_network(request)).allowed:
        record(Action.SSO_REFUSED, school=provider.school_id, label=provider.name, detail={"reason": "failed"})
    return render(request, "accounts/failed.html", {"provider": provider}, status=502 if problem else 400)


def require_own_proof(
    view: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """For pages that act on the whole account, which may belong to other schools: 403 for sessions by a provider.

    It vouches for the person in one school. With a passkey added here, whoever keeps it could enter the others.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not sessions.is_marked(request):
            return view(request, *args, **kwargs)
        return own_proof(request)

    return cast("Callable[Concatenate[HttpRequest, P], HttpResponseBase]", guarded)


def own_proof(request: HttpRequest, reason: str = "") -> HttpResponse:
    """What a session by a provider sees instead of such a page."""
    context = {"identity": sessions.find_voucher(request), "reason": reason}
    return render(request, "accounts/own_proof.html", context, status=403)


def can_prove(request: HttpRequest) -> bool:
    """Whether the person has a password or a factor."""
    return bool(get_adapter().get_reauthentication_methods(request.user))


def require_fresh_proof(
    request: HttpRequest, then: Callable[[HttpRequest], HttpResponseBase], *, reason: str = ""
) -> HttpResponseBase:
    """The response of `then`, once the person has lately given a password or a factor; else the page that asks for it.

    What was sent is done afterwards. Whoever can prove nothing, since a provider signs them in, does nothing.
    """
    if not can_prove(request):  # allauth would ask for nothing then
        return own_proof(request, reason)
    response: HttpResponseBase = reauthentication_required(app="allauth.mfa")(then)(request)
    return response
