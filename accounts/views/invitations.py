"""The pages on which people join a school: a newcomer by the link of the e-mail, others when they are signed in."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from allauth.account.utils import perform_login
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.middleware.csrf import rotate_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import factors, invitations
from accounts.forms import FirstPassword
from accounts.invitations import SESSION_KEY as _KEY
from accounts.models import IdentityProvider
from accounts.single_sign_on.pages import require_own_proof
from accounts.single_sign_on.sessions import unmark
from schools import services
from schools.http import SESSION_KEY
from schools.models import Membership, User

_WITHOUT_KEY = "password"  # stands for the key in the address of the form, so that no history keeps the key


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def accept(request: HttpRequest, pk: int, key: str) -> HttpResponseBase:
    """Say what joining means, ask for a password and sign the person in. `pk` is the membership's.

    Whoever is signed in as somebody else is asked to sign out first. A link that does not work any more is 410.
    """
    in_link = request.session.get(_KEY, "") if key == _WITHOUT_KEY else key
    membership = invitations.find_invited(pk, in_link)
    if membership is None:
        return render(request, "account/invitation_over.html", status=410)
    if request.user.is_authenticated and request.user.pk != membership.user_id:
        return _signed_in_as_another(request, membership, in_link)
    if key != _WITHOUT_KEY:
        request.session[_KEY] = key
        return redirect("account_invitation", pk, _WITHOUT_KEY)
    form = FirstPassword(request.POST if request.method == "POST" else None, user=membership.user)
    if form.is_valid():
        form.save()
        return _enter(request, membership)
    status = 422 if form.errors else 200
    context = {"form": form, "invited": membership, "providers": _providers(membership)}
    return render(request, "account/invitation.html", context, status=status)


def _providers(membership: Membership) -> list[IdentityProvider]:
    """With which the person can come in, instead of choosing a password."""
    providers = IdentityProvider.objects.working().filter(school=membership.school_id)
    return [provider for provider in providers if provider.takes(membership.user.email)]


def _signed_in_as_another(request: HttpRequest, membership: Membership, key: str) -> HttpResponseBase:
    if request.method == "POST" and "sign_out" in request.POST:
        logout(request)
        return redirect("account_invitation", membership.pk, key)
    return render(request, "account/invitation_of_another.html", {"invited": membership}, status=403)


def _enter(request: HttpRequest, membership: Membership) -> HttpResponseBase:
    """Join, and sign in until the browser is closed, like a sign-in without a tick, into the school that invites.

    An account with a second factor, which had its password taken away, is not opened by a mail alone.
    """
    if factors.has_factor(membership.user):
        messages.success(request, "Your password is saved. Sign in with it, and join then.")
        return redirect(f"{reverse('account_login')}?next={reverse('schools:join', args=[membership.school_id])}")
    services.join(membership)
    unmark(request)
    request.session.pop(_KEY, None)
    messages.success(request, f"Your password is saved, and you are signed in. Welcome to {membership.school}.")
    response: HttpResponseBase = perform_login(request, membership.user, redirect_url=reverse("home"))
    # After it: a session from before, of the old password, begins anew in it.
    request.session[SESSION_KEY] = str(membership.school_id)
    request.session.set_expiry(0)
    return response


@require_http_methods(["GET", "POST"])
@login_required
@require_own_proof
def join(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """Ask somebody with an account whether they want to join a school that invites them. `pk` is the school's."""
    people = Membership.objects.select_related("user", "school").filter(user=cast(User, request.user))
    membership = get_object_or_404(people, school=pk)
    if membership.invited_at is not None and request.method != "POST":
        return render(request, "accounts/join.html", {"invited": membership})
    if membership.invited_at is not None and "decline" in request.POST:
        services.decline(membership)
        messages.success(request, f"You have not joined {membership.school}.")
        return redirect("home")
    if request.method != "POST":
        messages.info(request, f"You are a member of {membership.school} already. Choose it at the top of the page.")
        return redirect("home")
    services.join(membership)
    request.session[SESSION_KEY] = str(membership.school_id)
    rotate_token(request)
    messages.success(request, f"You are now in {membership.school}.")
    return redirect("home")
