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
from classrooms.desk import count_unseen
from classrooms.flagging import get_settings
from classrooms.mails import has_lead, list_leads
from classrooms.models import ClassLink, Flag
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
    unseen = count_unseen(Flag.objects.for_school(school).grave())
    for link in rows:
        link.unseen = unseen[link.pk]  # type: ignore[attr-defined]
    leads = ", ".join(one.name for one in list_leads(school))
    context = {"links": rows, "settings": get_settings(school), "has_lead": has_lead(school), "leads": leads}
    return render(request, "classrooms/school.html", context)


@require_POST
@admin_required
def switch(request: MemberRequest) -> HttpResponseBase:
    """Switch the class links of the school on or off. Without a safeguarding lead, one is asked for first."""
    allowed = request.POST.get("allowed") == "on"
    links.allow_links(request.member.school, allowed=allowed)
    if allowed and links.explain_not_allowed(request.member.school):
        return redirect("classrooms:safeguarding")
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
