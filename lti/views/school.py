"""Pages of a school: its platforms, how teachers are connected with them, and what became of the grades of a class."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.single_sign_on import vouchers
from classrooms.models import ClassLink
from lti import grades
from lti.addresses import list_addresses
from lti.models import Platform, ResourceLink, TeacherIdentity
from schools.access import MemberRequest, admin_required, member_required, must_be_admin
from schools.audit.actions import Action
from schools.http import find


@never_cache
@require_GET
@admin_required
def platforms(request: MemberRequest) -> HttpResponseBase:
    """The platforms of the school, with what to type there. *Signing in* of the school loads it."""
    rows = Platform.objects.for_member(request.member)
    told = [(one, list_addresses(request, one)) for one in rows]
    return render(request, _template(request, "platforms"), {"platforms": told})


@require_POST
@member_required
def switch(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Let nobody come from it any more, or again."""
    platform = find(Platform.objects.for_school(request.member.school), pk)
    must_be_admin(request.member)
    state = vouchers.switch(platform, Action.LTI_SWITCHED, is_on="on" in request.POST)
    messages.success(request, f"{platform.name} is {state} now.")
    return redirect("schools:signing-in")


@never_cache
@require_GET
@member_required
def connections(request: MemberRequest) -> HttpResponseBase:
    """With which platforms the person is connected. *Connected accounts* loads it."""
    rows = TeacherIdentity.objects.for_member(request.member).select_related("provider")
    return render(request, _template(request, "connections"), {"connections": rows})


@require_http_methods(["GET", "POST"])
@member_required
def disconnect(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask, and forget a connection. Its sessions end, this one too if it is one."""
    identity = find(TeacherIdentity.objects.for_member(request.member).select_related("provider", "user"), pk)
    if request.method != "POST":
        return render(request, "lti/disconnect.html", {"identity": identity})
    vouchers.disconnect(identity)
    messages.success(request, f"{identity.provider.name} is disconnected.")
    return redirect("account_identities")


@never_cache
@require_GET
@member_required
def of_class(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Which activities open a class, and grades that could not be sent. The desk loads it."""
    link = find(ClassLink.objects.for_member(request.member), pk)
    rows = ResourceLink.objects.for_member(request.member).filter(class_link=link)
    context = {
        "link": link,
        "activities": rows.select_related("platform", "chatbot"),
        "failures": grades.list_failures(link.pk),
    }
    return render(request, _template(request, "of_class"), context)


@require_POST
@member_required
def send_grades_again(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Try the grades of a class that could not be sent once more."""
    link = find(ClassLink.objects.for_member(request.member), pk)
    grades.send_again(link.pk)
    messages.success(request, "The grades are sent once more within a minute.")
    return redirect("classrooms:desk", pk)


def _template(request: MemberRequest, name: str) -> str:
    return f"lti/_{name}.html" if request.headers.get("HX-Request") else f"lti/{name}.html"
