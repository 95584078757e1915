"""For admins of a school: which classes there are, and whether class links are allowed."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from classrooms import links
from classrooms.mails import is_nobody_told
from classrooms.models import ClassLink
from schools.access import MemberRequest, admin_required, member_required, must_be_admin
from schools.http import find
from schools.models import name_in_school


@never_cache
@require_GET
@admin_required
def list_school_classes(request: MemberRequest) -> HttpResponseBase:
    """The classes of the school: whose they are and until when, never what pupils asked."""
    rows = ClassLink.objects.for_school(request.member.school).annotate(
        teacher=name_in_school("owner"), pupil_count=Count("pupils", distinct=True)
    )
    school = request.member.school
    context = {"links": rows, "is_allowed": links.are_links_allowed(school), "is_nobody_told": is_nobody_told(school)}
    return render(request, "classrooms/school.html", context)


@require_POST
@admin_required
def switch(request: MemberRequest) -> HttpResponseBase:
    """Switch the class links of the school on or off."""
    allowed = request.POST.get("allowed") == "on"
    links.allow_links(request.member.school, allowed=allowed)
    told = "Class links are allowed." if allowed else "Class links are switched off. Open pages of pupils end now."
    messages.success(request, told)
    return redirect("classrooms:school")


@require_POST
@member_required
def close_school_class(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    link = find(ClassLink.objects.for_school(request.member.school), pk)
    must_be_admin(request.member)
    links.close(link)
    messages.success(request, f"“{link.name}” is closed.")
    return redirect("classrooms:school")
