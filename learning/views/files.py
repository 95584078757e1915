"""A plan as a file and as a sheet of paper, and a plan from a file."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from corpus.web.forms import form_data, form_status
from learning.exports.anki import AnkiUnavailable
from learning.exports.files import FORMATS, export_plan
from learning.exports.plan_import import ImportRefused, import_json
from learning.exports.worksheet import make_worksheet
from learning.forms.plans import ImportForm
from learning.models import Concept
from learning.views.plans import find_plan
from schools.access import MemberRequest, member_required
from schools.http import allow_files, parse_uuid


@never_cache
@require_GET
@member_required
def download_plan(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The plan as a file in `?format=`."""
    plan = find_plan(request, pk)
    name = request.GET.get("format", "json")
    if name not in FORMATS:
        raise Http404("There is no such format.")
    try:
        return export_plan(plan, name)
    except AnkiUnavailable as reason:
        messages.error(request, str(reason))
        return redirect("learning:plan", pk)


@never_cache
@require_GET
@member_required
def worksheet(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The questions to print, of the whole plan or of one `?concept=`, with the key on a page of its own."""
    plan = find_plan(request, pk)
    concepts = list(Concept.objects.for_member(request.member).filter(plan=plan))
    key = parse_uuid(request.GET.get("concept"))
    chosen = [concept for concept in concepts if concept.pk == key]
    sheet = make_worksheet(plan, chosen or None)
    context = {"plan": plan, "sheet": sheet, "concepts": concepts, "concept": chosen[0] if chosen else None}
    return render(request, "learning/worksheet.html", context)


@allow_files
@require_http_methods(["GET", "POST"])
@member_required
def import_plan(request: MemberRequest) -> HttpResponseBase:
    """A plan from a JSON file that Lectern wrote."""
    form = ImportForm(**form_data(request))
    if form.is_valid():
        try:
            plan = import_json(member=request.member, data=form.cleaned_data["file"].read())
        except ImportRefused as reason:
            form.add_error("file", str(reason))
        else:
            messages.success(request, f"“{plan.title}” is here, with its sources as they were.")
            return redirect("learning:plan", plan.pk)
    return render(request, "learning/import.html", {"form": form}, status=form_status(form))
