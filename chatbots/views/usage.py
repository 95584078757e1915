"""Figures of use: a teacher’s own chatbots and, for admins, the whole school."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chatbots.insights import usage
from chatbots.insights.plots import plot_chatbots, plot_questions
from chatbots.insights.usage import DAYS, PERIODS
from schools.access import MemberRequest, admin_required, member_required


@never_cache
@require_GET
@member_required
def own(request: MemberRequest) -> HttpResponseBase:
    """The questions of the last `?days=` days to the member’s chatbots, over time and by chatbot."""
    days = _days(request)
    figures = usage.compute_usage_by_chatbot(request.member, days=days)
    context = {
        "days": days,
        "periods": PERIODS,
        "figures": figures,
        "over_time": plot_questions(usage.list_questions_to_chatbots(request.member, days=days), days=days),
        "by_chatbot": plot_chatbots(figures),
    }
    return render(request, "chatbots/usage.html", context)


@never_cache
@require_GET
@admin_required
def school(request: MemberRequest) -> HttpResponseBase:
    """The last `?days=` days of the school: a page, or its part that changes with the days."""
    days, school = _days(request), request.member.school
    over_time = plot_questions(usage.list_school_questions(school, days=days), days=days)
    context = usage.compute_school_usage(school, days=days) | {"over_time": over_time}
    template = "_school_usage.html" if request.headers.get("HX-Request") else "school_usage.html"
    return render(request, f"chatbots/{template}", context)


def _days(request: HttpRequest) -> int:
    return {str(period): period for period in PERIODS}.get(request.GET.get("days", ""), DAYS)
