"""The page on which people see and change how they sign in, and allauth’s pages of passkeys as we use them."""

from __future__ import annotations

from typing import Any, cast

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import views as webauthn
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts import browsers, demand
from accounts.devices import can_have_passkeys, describe_device
from accounts.factor_forms import AlertsForm
from schools.models import User

HOME = reverse_lazy("mfa_index")


@never_cache
@require_GET
@login_required
def index(request: HttpRequest) -> HttpResponseBase:
    """Password, second factors, where one is signed in, mails about new devices."""
    user = cast(User, request.user)
    kept: dict[str, list[Any]] = {}
    for one in Authenticator.objects.filter(user=user).order_by("created_at", "pk"):
        kept.setdefault(one.type, []).append(one)
    codes = kept.get("recovery_codes", [])
    member = getattr(request, "member", None)
    context = {
        "app": next(iter(kept.get("totp", [])), None),
        "passkeys": kept.get("webauthn", []),
        "codes_left": _codes_left(codes[0]) if codes else None,
        "has_factor": "totp" in kept or "webauthn" in kept,
        "can_have_passkeys": can_have_passkeys(request),
        "reason": (demand.explain_to_member(member) if member else "") or demand.explain_to_operator(user),
        "sessions": browsers.list_sessions(user),
        "current": request.session.session_key,
        "alerts": AlertsForm(initial={"alerts": user.alerts_on_sign_in}),
    }
    return render(request, "mfa/index.html", context)


def _codes_left(authenticator: Authenticator) -> int:
    """None are left when the key of the installation has changed: they open nothing any more."""
    try:
        return len(authenticator.wrap().get_unused_codes())
    except ValidationError:
        return 0


@require_POST
@login_required
def end_session(request: HttpRequest, pk: int) -> HttpResponseBase:
    row = get_object_or_404(UserSession.objects.filter(user=cast(User, request.user)).select_related("user"), pk=pk)
    browsers.end(row)
    messages.success(request, f"{describe_device(row.user_agent)} is signed out.")
    return redirect("mfa_index")


@require_POST
@login_required
def end_others(request: HttpRequest) -> HttpResponseBase:
    """End all of one’s own sessions but this one."""
    count = browsers.end_others(cast(User, request.user), request.session.session_key)
    told = f"{count} browser{'s are' if count != 1 else ' is'} signed out." if count else "There was nothing to end."
    messages.success(request, told)
    return redirect("mfa_index")


@require_POST
@login_required
def alerts(request: HttpRequest) -> HttpResponseBase:
    """Switch the mails about new devices on or off."""
    form = AlertsForm(request.POST)
    if form.is_valid():
        User.objects.filter(pk=cast(User, request.user).pk).update(alerts_on_sign_in=form.cleaned_data["alerts"])
        messages.success(request, "Saved.")
    return redirect("mfa_index")


class SignIn(webauthn.LoginWebAuthnView):  # type: ignore[misc]
    """Like a sign-in without a tick it lasts until the browser is closed."""

    def form_valid(self, form: object) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        self.request.session.set_expiry(0)
        return response


sign_in_with_passkey = SignIn.as_view()
remove_passkey = webauthn.RemoveWebAuthnView.as_view(success_url=HOME)
rename_passkey = webauthn.EditWebAuthnView.as_view(success_url=HOME)
