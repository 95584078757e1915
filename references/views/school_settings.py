"""The page on which admins say what their school allows."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from corpus.web.forms import form_data, form_status
from references.forms import SourceSettingsForm
from references.models import ApprovedTopic, Archive, ArchiveState, ReferenceSettings
from schools.access import MemberRequest, admin_required
from schools.audit.actions import Action
from schools.audit.recording import record


@require_http_methods(["GET", "POST"])
@admin_required
def edit_source_settings(request: MemberRequest) -> HttpResponseBase:
    """Show and save the switches."""
    school = request.member.school
    form = SourceSettingsForm(**form_data(request), instance=ReferenceSettings.of(school))
    if form.is_valid():
        with transaction.atomic():
            ReferenceSettings.objects.update_or_create(school=school, defaults=form.cleaned_data)
            if form.changed_data:
                changed = {name: str(form.cleaned_data[name])[:100] for name in form.changed_data}
                record(Action.SETTINGS_CHANGED, school=school, detail=changed)
        messages.success(request, "Saved. It applies from the next question on.")
        return redirect("references:index")
    context = {
        "form": form,
        "topics": ApprovedTopic.objects.for_school(school).count(),
        "archives": Archive.objects.filter(state=ArchiveState.READY).count(),
        "is_offline": settings.LECTERN_OFFLINE,
    }
    return render(request, "references/index.html", context, status=form_status(form))
