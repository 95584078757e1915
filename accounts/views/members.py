"""Pages to switch between schools, and for admins to manage members."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponseBase
from django.middleware.csrf import rotate_token
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.factors import find_with_factor
from accounts.invitations import limit_mails_to, send_invitation
from accounts.member_forms import InviteForm, RoleForm, SearchForm
from accounts.models import IdentityProvider
from accounts.single_sign_on.sessions import find_voucher
from schools import services
from schools.access import MemberRequest, admin_required, member_required, member_without_factor_too, must_be_admin
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import SESSION_KEY, find, get_page, parse_uuid
from schools.models import Membership, Role, School


@require_GET
def home(request: HttpRequest) -> HttpResponseBase:
    """The start of the site: the chatbots, and for an operator without a school the page of the installation."""
    is_without = request.user.is_superuser and not request.member  # type: ignore[attr-defined]
    return redirect("operators:index" if is_without else "chatbots:list")


@require_POST
@member_without_factor_too
def switch(request: MemberRequest) -> HttpResponseBase:
    """Make another school the current one. Forms that were opened in the former school are refused afterwards."""
    mine = Membership.objects.joined().filter(user=request.member.user_id)
    school = find(School.objects.filter(memberships__in=mine), parse_uuid(request.POST.get("school")))
    if (identity := find_voucher(request)) and school.pk != identity.school_id:
        return render(request, "accounts/one_school.html", {"identity": identity, "school": school}, status=403)
    request.session[SESSION_KEY] = str(school.pk)
    rotate_token(request)
    record(Action.SCHOOL_SWITCHED, school=school)
    messages.success(request, f"You are now in {school.name}.")
    return redirect("home")


@require_GET
@admin_required
def members(request: MemberRequest) -> HttpResponseBase:
    """The list of members. The page loads the usage figures by their own URL."""
    form = SearchForm(request.GET)
    words = form.cleaned_data["words"] if form.is_valid() else ""
    everybody = Membership.objects.for_school(request.member.school)
    only_invited = "invited" in request.GET
    people = (everybody.invited() if only_invited else everybody).select_related("user").named(words)
    page = get_page(request, people)
    context = {
        "form": form,
        "page": page,
        "with_factor": find_with_factor(membership.user_id for membership in page),
        "is_filtered": bool(words) or only_invited,
        "only_invited": only_invited,
        "invitations": everybody.invited().count(),
        "expired_before": timezone.now() - timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
    }
    return render(request, "accounts/members.html", context)


@require_http_methods(["GET", "POST"])
@admin_required
def add_member(request: MemberRequest) -> HttpResponseBase:
    """Add a person. The response is the same whether or not the address has an account."""
    form = InviteForm(request.POST if request.method == "POST" else None, initial={"role": Role.TEACHER})
    if form.is_valid():
        try:
            with limit_mails_to(request, form.cleaned_data["email"]):
                membership = services.invite(school=request.member.school, **form.cleaned_data)
        except services.MembershipRefused as reason:
            form.add_error("email", str(reason))
        else:
            _tell_invited(request, membership)
            return redirect("schools:members")
    return render(request, "accounts/add_member.html", {"form": form}, status=_status(form))


@require_POST
@member_required
def invite_again(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Send an open invitation once more, in the same words to whoever it goes. `pk` is the person's."""
    membership = _administered(request, pk)
    if membership.invited_at is None:
        messages.info(request, f"{membership.name} has followed the invitation already.")
    elif not services.may_be_sent_again(membership):
        messages.info(request, f"The invitation to {membership.name} was sent a moment ago. Nothing was sent now.")
    elif send_invitation(request, membership):
        services.note_sent(membership)
        messages.success(request, f"The invitation was sent once more to {membership.user.email}.")
    else:
        messages.warning(request, f"The e-mail to {membership.user.email} could not be sent. Try again later.")
    return redirect(_back_to_members(request))


@require_http_methods(["GET", "POST"])
@member_required
def withdraw_invitation(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask, and take an open invitation back. `pk` is the person's."""
    membership = _administered(request, pk)
    if request.method != "POST" and membership.invited_at is not None:
        return render(request, "accounts/withdraw_invitation.html", {"membership": membership})
    if request.method != "POST":
        messages.info(request, f"{membership.name} has followed the invitation already, and is a member.")
        return redirect("schools:members")
    try:
        services.withdraw_invitation(membership=membership)
    except services.MembershipRefused as reason:
        messages.warning(request, str(reason))
    else:
        messages.success(request, f"The invitation of {membership.name} is withdrawn.")
    return redirect("schools:members")


@require_http_methods(["GET", "POST"])
@member_required
def role(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Change the role of a member. `pk` is the person's."""
    membership = _administered(request, pk)
    form = RoleForm(request.POST if request.method == "POST" else None, initial={"role": membership.role})
    if form.is_valid():
        chosen = Role(form.cleaned_data["role"])
        try:
            services.change_role(membership=membership, role=chosen)
        except services.MembershipRefused as reason:
            form.add_error("role", str(reason))
        else:
            messages.success(request, f"{membership.name}: {chosen.label} from now on.")
            stepped_down = membership == request.member and chosen != Role.ADMIN
            return redirect("home" if stepped_down else "schools:members")
    context = {"form": form, "membership": membership}
    return render(request, "accounts/change_role.html", context, status=_status(form))


@require_http_methods(["GET", "POST"])
@member_required
def confirm_removal(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """End a membership. `pk` is the person's."""
    membership = _administered(request, pk)
    error = ""
    if request.method == "POST":
        is_oneself = membership == request.member
        try:
            services.remove_member(membership=membership)
        except services.MembershipRefused as reason:
            error = str(reason)
        else:
            messages.success(request, f"{membership.name} is no longer a member of {membership.school}.")
            return redirect("home" if is_oneself else "schools:members")
    comes_back_by = IdentityProvider.objects.for_school(membership.school).working().filter(joins=True).first()
    context = {"membership": membership, "error": error, "comes_back_by": comes_back_by}
    return render(request, "accounts/remove_member.html", context, status=422 if error else 200)


def _administered(request: MemberRequest, person: UUID) -> Membership:
    """The person's membership, for an admin. A person of another school is 404 before anything is 403 (S2)."""
    people = Membership.objects.for_school(request.member.school).select_related("user", "school")
    membership = get_object_or_404(people, user=person)
    must_be_admin(request.member)
    return membership


def _back_to_members(request: MemberRequest) -> str:
    """The list from which the button was pressed: of everybody, or of open invitations."""
    return reverse("schools:members") + ("?invited=1" if "invited" in request.POST else "")


def _tell_invited(request: MemberRequest, membership: Membership) -> None:
    if send_invitation(request, membership):
        messages.success(
            request,
            f"{membership.name} is invited. An e-mail to {membership.user.email} says how to join.",
        )
    else:
        messages.warning(
            request,
            f"{membership.name} is invited, but the e-mail to {membership.user.email} could not be sent. "
            "Tell them to choose “Forgot your password?” on the sign-in page.",
        )


def _status(form: BaseForm) -> int:
    return 422 if form.errors else 200
