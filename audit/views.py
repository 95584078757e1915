"""Pages of the audit log, for the admins of a school."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from audit import services
from audit.forms import AuditForm
from corpus.web.csv_file import MAX_ROWS, csv_response, write_csv
from schools.access import MemberRequest, admin_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import get_page


@never_cache
@require_GET
@admin_required
def show_audit_log(request: MemberRequest) -> HttpResponseBase:
    """What was done in the school, the newest first."""
    form = AuditForm(request.GET)
    filters = form.filters()
    context = {
        "form": form,
        "page": get_page(request, services.search_audit_log(request.member, **filters)),
        "is_filtered": any(filters.values()),
        "days": settings.LECTERN_AUDIT_DAYS,
        "most": MAX_ROWS,
    }
    return render(request, "audit/list.html", context)


@never_cache
@require_GET
@admin_required
def export_audit_log(request: MemberRequest) -> HttpResponseBase:
    """The filtered log as CSV. The export is recorded too."""
    rows = list(services.search_audit_log(request.member, **AuditForm(request.GET).filters())[:MAX_ROWS])
    record(Action.AUDIT_EXPORTED, school=request.member.school, detail={"rows": len(rows)})
    content = write_csv(services.COLUMNS, services.write_audit_lines(rows))
    return csv_response(request, content, name=f"audit-log-{timezone.localdate().isoformat()}")
