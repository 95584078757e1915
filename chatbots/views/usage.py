"""Usage figures of a school, for its admins."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from chatbots.insights.usage import DAYS, PERIODS, school_usage
from schools.access import MemberRequest, admin_required


@require_GET
@admin_required
def school(request: MemberRequest) -> HttpResponseBase:
    """The last `?days=` days. A fragment of the members page, to which other requests are redirected."""
    if not request.headers.get("HX-Request"):
        return redirect("schools:members")
    days = {str(period): period for period in PERIODS}.get(request.GET.get("days", ""), DAYS)
    return render(request, "chatbots/_school_usage.html", school_usage(request.member.school, days=days))
