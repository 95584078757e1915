"""The question log: for admins to review, and for members to see what it keeps of their questions."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chatbots.insights.plots import plot_log
from chatbots.models import Message
from chatbots.question_log import store
from chatbots.question_log.forms import QuestionLogForm
from corpus.web.csv_file import MAX_ROWS, csv_response, write_csv
from schools.access import MemberRequest, admin_required, member_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import get_page


@never_cache
@require_GET
@admin_required
def show_question_log(request: MemberRequest) -> HttpResponseBase:
    """The school's questions and answers without names, the newest first."""
    form = QuestionLogForm(request.GET, member=request.member)
    filters = form.filters()
    rows = store.search_log(request.member, **filters)
    page = get_page(request, rows)
    context = {
        "form": form,
        "page": page,
        "rows": store.open_entries(page.object_list, request.member),
        "is_filtered": any(filters.values()),
        "over_time": plot_log(rows, until=filters["until"]),
        "most": MAX_ROWS,
        **_log_settings(),
    }
    return render(request, "chatbots/question_log.html", context)


@never_cache
@require_GET
@admin_required
def export_question_log(request: MemberRequest) -> HttpResponseBase:
    """The filtered log as CSV."""
    filters = QuestionLogForm(request.GET, member=request.member).filters()
    rows = store.search_log(request.member, **filters)[:MAX_ROWS]
    found = list(store.write_log_lines(rows.iterator()))
    content = write_csv(store.LOG_COLUMNS, found)
    record(Action.QUESTION_LOG_EXPORTED, school=request.member.school, detail={"rows": len(found)})
    return csv_response(request, content, name=f"question-log-{timezone.localdate().isoformat()}")


@never_cache
@require_GET
@member_required
def what_is_kept(request: MemberRequest) -> HttpResponseBase:
    """What the log keeps, and the member’s last question as admins see it."""
    last = Message.objects.for_member(request.member).exclude(finished_at=None).order_by("-created_at").first()
    row = store.find_entry(last) if last else None
    rows = store.open_entries([row], request.member) if row else []
    return render(request, "chatbots/what_is_kept.html", {"rows": rows, **_log_settings()})


def _log_settings() -> dict[str, Any]:
    return {"days": settings.LECTERN_QUESTION_LOG_DAYS, "withheld": store.WITHHELD}
