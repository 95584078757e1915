"""Pages of admins: what their school demands when admins sign in, and helping a member who has lost everything."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts import demand, factors
from accounts.factor_forms import DemandForm
from accounts.models import IdentityProvider
from accounts.single_sign_on.pages import require_fresh_proof
from schools.access import MemberRequest, admin_required, member_required, must_be_admin
from schools.models import Membership, Role


@require_http_methods(["GET", "POST"])
@admin_required
def school(request: MemberRequest) -> HttpResponseBase:
    """Show and switch whether admins of the school need a second factor, and show how people come in otherwise."""
    member = request.member
    form = DemandForm(
        request.POST if request.method == "POST" else None, initial={"demanded": member.school.demands_second_factor}
    )
    if form.is_valid():
        try:
            demand.switch(member, demanded=form.cleaned_data["demanded"])
        except demand.DemandRefused as reason:
            form.add_error("demanded", str(reason))
        else:
            messages.success(request, "Saved.")
            return redirect("schools:signing-in")
    admins = Membership.objects.for_school(member.school).joined().filter(role=Role.ADMIN).select_related("user")
    context = {
        "form": form,
        "admins": admins.count(),
        "without": factors.list_without_factor(admins.named()),
        "has_factor": factors.has_factor(member.user),
        "providers": IdentityProvider.objects.for_member(member),
    }
    return render(request, "accounts/signing_in.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
@member_required
def reset_factors(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask, and take all second factors of a member away who has lost them. `pk` is the person’s."""
    people = Membership.objects.for_school(request.member.school).select_related("user", "school")
    membership = get_object_or_404(people, user=pk)
    must_be_admin(request.member)
    try:
        factors.check_may_reset(membership, by=request.member)
    except factors.ResetRefused as reason:
        context = {"membership": membership, "error": str(reason)}
        return render(request, "accounts/reset_factors.html", context, status=422 if request.method == "POST" else 200)
    if request.method == "POST":
        return _reset(request, membership)
    return render(request, "accounts/reset_factors.html", {"membership": membership})


def _reset(request: MemberRequest, membership: Membership) -> HttpResponseBase:
    def confirmed(request: HttpRequest) -> HttpResponseBase:
        factors.reset(membership.user, by=f"{request.member.name}, admin of {membership.school}")  # type: ignore[attr-defined]
        messages.success(request, f"{membership.name} signs in with the password alone from now on, and was told so.")
        return redirect("schools:members")

    return require_fresh_proof(request, confirmed)
