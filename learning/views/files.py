"""The questions of a plan as a file and as a sheet of paper."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from learning.exports.anki import AnkiUnavailable
from learning.exports.files import FORMATS, export_plan
from learning.exports.worksheet import make_worksheet
from learning.models import Concept
from learning.views.plans import find_plan
from schools.access import MemberRequest, member_required
from schools.http import parse_uuid


@never_cache
@require_GET
@member_required
def download_plan(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    plan = find_plan(request, pk)
    name = request.GET.get("format", "gift")
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
