"""Pages of a person's own access tokens in the current school."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from accounts.member_forms import TokenForm
from accounts.single_sign_on import sessions
from accounts.single_sign_on.pages import can_prove, require_fresh_proof
from schools import tokens
from schools.access import MemberRequest, member_required
from schools.http import find
from schools.models import AccessToken, Scope

_OUTLASTS = "An access token works long after this sign-in has ended, so it needs your own password."


@require_GET
@member_required
def list_tokens(request: MemberRequest) -> HttpResponseBase:
    return render(request, "accounts/tokens.html", {"tokens": AccessToken.objects.for_member(request.member)})


@never_cache
@require_http_methods(["GET", "POST"])
@member_required
def add_token(request: MemberRequest) -> HttpResponseBase:
    """Whoever came by a provider proves the account first: a token outlasts what let them in."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    if sessions.is_marked(request) and (form.is_valid() or not can_prove(request)):
        return require_fresh_proof(request, lambda _: _add(request, form), reason=_OUTLASTS)
    return _add(request, form)


def _add(request: MemberRequest, form: TokenForm) -> HttpResponseBase:
    """The response to the form shows the secret. There is no redirect, since the secret is not stored."""
    if form.is_valid():
        given = form.cleaned_data
        try:
            token, secret = tokens.make(
                member=request.member, name=given["name"], scope=Scope(given["scope"]), days=given["days"]
            )
        except tokens.TokenRefused as reason:
            form.add_error(None, str(reason))
        else:
            return render(request, "accounts/new_token.html", {"token": token, "secret": secret})
    return render(request, "accounts/add_token.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@member_required
def revoke(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    token = find(AccessToken.objects.for_member(request.member), pk)
    if request.method == "POST":
        tokens.revoke(token)
        messages.success(request, f"“{token.name}” is revoked and no longer works.")
        return redirect("schools:tokens")
    return render(request, "accounts/revoke_token.html", {"token": token})
