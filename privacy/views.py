"""Pages: one's own data, erasing a member, and the certificates."""

from __future__ import annotations

import json
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from accounts.single_sign_on.pages import own_proof, require_fresh_proof
from accounts.single_sign_on.sessions import is_marked
from privacy import erasing
from privacy.exporting import count_personal_rows, make_zip
from privacy.models import Erasure
from privacy.serializers import ErasureSerializer
from schools.access import MemberRequest, admin_required, member_required, must_be_admin
from schools.http import find, get_page
from schools.models import Membership
from schools.services import MembershipRefused


@never_cache
@require_http_methods(["GET", "POST"])
@member_required
def own_data(request: MemberRequest) -> HttpResponseBase:
    """What is stored of oneself; a POST downloads it."""
    if request.method == "POST":
        # The devices and addresses of an account that is used elsewhere, too, are none of this school's provider.
        if is_marked(request) and Membership.objects.filter(user=request.member.user_id).count() > 1:
            return own_proof(request)
        return make_zip(request.member)
    return render(request, "privacy/own_data.html", {"extent": count_personal_rows(request.member)})


@never_cache
@require_http_methods(["GET", "POST"])
@member_required
def erase_member(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Erase a person of the school, after their e-mail address was typed and the admin’s own password."""
    people = Membership.objects.for_school(request.member.school).select_related("user", "school")
    membership = get_object_or_404(people, user=pk)
    must_be_admin(request.member)
    error = ""
    if request.method == "POST":
        if request.POST.get("email", "").strip().lower() != membership.user.email.lower():
            error = "This is not the e-mail address of the person. Nothing was erased."
        else:
            return require_fresh_proof(request, lambda _: _erase(request, membership))
    return _ask_to_erase(request, membership, error)


def _erase(request: MemberRequest, membership: Membership) -> HttpResponseBase:
    try:
        erasing.erase_person(membership, asked_by=request.member)
    except MembershipRefused as reason:
        return _ask_to_erase(request, membership, str(reason))
    messages.success(request, "Erased. The certificate is in the list below.")
    return redirect("privacy:erasures")


def _ask_to_erase(request: MemberRequest, membership: Membership, error: str) -> HttpResponseBase:
    context = {"membership": membership, "extent": erasing.count_person_rows(membership), "error": error}
    return render(request, "privacy/erase_member.html", context, status=422 if error else 200)


@never_cache
@require_GET
@admin_required
def erasures(request: MemberRequest) -> HttpResponseBase:
    """The certificates of the school, the newest first."""
    page = get_page(request, Erasure.objects.for_member(request.member))
    return render(request, "privacy/erasures.html", {"page": page})


@require_GET
@member_required
def certificate(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """One certificate, to print. Who asked for it is named as long as they are a member."""
    row = _certified(request, pk)
    members = Membership.objects.for_school(request.member.school).select_related("user")
    context = {"row": row, "asked_by": members.filter(user=row.asked_by_id).first()}
    return render(request, "privacy/certificate.html", context)


@require_GET
@member_required
def certificate_file(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The same for programs, with every table."""
    row = _certified(request, pk)
    text = json.dumps(ErasureSerializer(row).data, ensure_ascii=False, indent=1, default=str)
    headers = {"Content-Disposition": f'attachment; filename="erasure-{row.erased_at:%Y-%m-%d}.json"'}
    return HttpResponse(text, content_type="application/json", headers=headers)


def _certified(request: MemberRequest, pk: UUID) -> Erasure:
    row = find(Erasure.objects.for_school(request.member.school), pk)
    must_be_admin(request.member)
    return row
