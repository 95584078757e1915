"""Pages: find one's school's provider, go there and come back, connect an account, and keep what is connected."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from allauth.account import views as account
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import encryption
from accounts.models import Identity, IdentityProvider
from accounts.single_sign_on import entering, oidc, pages, sessions, vouchers
from accounts.single_sign_on.forms import AddressForm
from accounts.single_sign_on.issuer import IssuerFailed
from accounts.single_sign_on.vouchers import Refused
from schools.access import MemberRequest, member_required, must_be_admin
from schools.audit.actions import Action
from schools.http import find
from schools.models import User


@require_http_methods(["GET", "POST"])
def find_school(request: HttpRequest) -> HttpResponseBase:
    """Ask for an address, and show the providers of its domain: no list tells which schools there are."""
    form = AddressForm(request.POST if request.method == "POST" else None)
    found: list[IdentityProvider] = []
    if form.is_valid():
        domain = form.cleaned_data["email"].rpartition("@")[2].lower()
        found = list(IdentityProvider.objects.working().filter(domains__contains=[domain]))
    context = {
        "form": form,
        "providers": found,
        "is_asked": form.is_valid(),
        "next": _next(request),
    }
    return render(request, "accounts/find.html", context, status=422 if form.errors else 200)


@require_GET
def of_school(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The page of one school, to be bookmarked. A school without a provider is as unknown as one that is none."""
    found = list(IdentityProvider.objects.working().select_related("school").filter(school__slug=slug))
    if not found:
        raise Http404
    return render(
        request,
        "accounts/school.html",
        {"school": found[0].school, "providers": found, "next": _next(request)},
    )


@never_cache
@require_GET
def start(request: HttpRequest, provider_id: UUID) -> HttpResponseBase:
    """Go to the provider. It is a link and no form: the policy of our pages lets no form lead elsewhere."""
    provider = find(_working(), provider_id)
    invitation = request.GET.get("invitation", "")
    more = {"invitation": invitation} if invitation.isdecimal() and len(invitation) < 19 else {}
    try:
        return oidc.begin(request, provider, next_url=_next(request), **more)
    except (IssuerFailed, encryption.Unreadable) as problem:
        return pages.show_failure(request, provider, problem)


@never_cache
@require_GET
def callback(request: HttpRequest, provider_id: UUID) -> HttpResponseBase:
    """Come back from the provider."""
    provider = find(_working(), provider_id)
    try:
        return oidc.come_back(request, provider)
    except (IssuerFailed, encryption.Unreadable) as problem:
        return pages.show_failure(request, provider, problem)


@never_cache
@require_http_methods(["GET", "POST"])
def sign_out(request: HttpRequest) -> HttpResponseBase:
    """Ask, and sign out. Whoever came by a provider is still signed in there, and can end that too."""
    identity = sessions.find_voucher(request) if request.method == "POST" and request.user.is_authenticated else None
    id_token = request.session.get(sessions.HINT, "")
    response: HttpResponseBase = account.logout(request)
    if identity is None:
        return response
    provider = identity.provider
    end = oidc.end_address(request, provider, id_token) if isinstance(provider, IdentityProvider) else ""
    context = {"provider": provider, "end": end, "next": response.headers["Location"]}
    return render(request, "accounts/signed_out.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
@login_required
def connect(request: HttpRequest) -> HttpResponseBase:
    """Ask whether to connect the identity with the account that the person has just signed in to."""
    pending = entering.find_pending(request)
    if pending is None:
        entering.forget_pending(request)
        messages.info(
            request, "There is nothing to connect now. Start again from “Sign in with your school’s account”."
        )
        return redirect("home")
    provider, person = pending
    if request.method != "POST":
        invited = entering.find_membership_to_join(cast(User, request.user), provider, person)
        return render(request, "accounts/connect.html", {"provider": provider, "known": person, "invited": invited})
    entering.forget_pending(request)
    if "connect" not in request.POST:
        messages.info(request, "Nothing was connected.")
        return redirect("home")
    try:
        entering.connect(cast(User, request.user), provider, person)
    except Refused as refusal:
        return pages.show_refusal(request, provider, refusal.code)
    messages.success(request, f"Connected. From now on you can sign in to {provider.school} with {provider.name}.")
    return redirect("home")


@require_GET
@member_required
def identities(request: MemberRequest) -> HttpResponseBase:
    """The accounts elsewhere with which the person can sign in to this school."""
    mine = Identity.objects.for_member(request.member).select_related("provider")
    rows = mine.filter(issuer=F("provider__issuer"))  # others have no effect since the operator changed the issuer
    return render(request, "accounts/identities.html", {"identities": rows})


@require_http_methods(["GET", "POST"])
@member_required
def disconnect(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask, and forget an identity. Without a password the person could not sign in any more."""
    identity = find(Identity.objects.for_member(request.member).select_related("provider", "user"), pk)
    if request.method != "POST" or not identity.user.has_usable_password():
        return render(request, "accounts/disconnect.html", {"identity": identity})
    vouchers.disconnect(identity)
    messages.success(request, f"{identity.provider.name} is disconnected. You sign in with your password now.")
    return redirect("account_identities")


@require_POST
@member_required
def switch(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Let nobody of the school in by it any more, or again."""
    provider = find(IdentityProvider.objects.for_school(request.member.school), pk)
    must_be_admin(request.member)
    state = vouchers.switch(provider, Action.SSO_SWITCHED, is_on="on" in request.POST)
    messages.success(request, f"Signing in with {provider.name} is {state} now.")
    return redirect("schools:signing-in")


def _working() -> QuerySet[IdentityProvider]:
    return IdentityProvider.objects.working().select_related("school")


def _next(request: HttpRequest) -> str:
    """Where the person wanted to go, if that is here."""
    wanted = request.GET.get("next") or request.POST.get("next") or ""
    is_here = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_here else ""
