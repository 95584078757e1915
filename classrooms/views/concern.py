"""Concerns that an adult should see, and for admins: who is told, and which words are looked for."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from classrooms import flagging
from classrooms.forms import ConcernForm, SafeguardingForm
from classrooms.links import explain_not_allowed
from classrooms.models import Flag
from schools.access import MemberRequest, admin_required, member_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import get_page


@never_cache
@require_GET
@member_required
def show_concerns(request: MemberRequest) -> HttpResponseBase:
    """What nobody has looked at: of the member's own classes, and for a safeguarding lead what is grave in the school.
    Of what was erased, also what was seen."""
    rows = Flag.objects.for_member(request.member).filter(Q(seen_at=None) | Q(handed__isnull=False))
    rows = rows.select_related("message", "pupil__class_link", "pupil__real_name", "class_link")
    page = get_page(request, rows.order_by("-seen_at", "raised_at", "pk"), 30)
    flags = list(page.object_list)
    if flags:
        record(Action.CONCERNS_READ, school=request.member.school)
    places = flagging.describe_classes(flags)
    context = {"page": page, "concerns": [(flag, places[flag.pk]) for flag in flags]}
    return render(request, "classrooms/concerns.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
@admin_required
def edit_safeguarding(request: MemberRequest) -> HttpResponseBase:
    """Name the safeguarding lead, without whom no class is opened, and say whether pupils practise for grades."""
    school = request.member.school
    settings = flagging.get_settings(school)
    is_first = settings.are_links_allowed and bool(explain_not_allowed(school))
    form = SafeguardingForm(request.POST if request.method == "POST" else None, instance=settings)
    if form.is_valid():
        form.save()
        messages.success(request, "Saved. Teachers can open classes now." if is_first else "Saved.")
        return redirect("classrooms:school")
    context = {"form": form, "is_first": is_first}
    return render(request, "classrooms/safeguarding.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "POST"])
@admin_required
def edit_words_of_concern(request: MemberRequest) -> HttpResponseBase:
    """Show and store the words of concern, and what happens when one is found."""
    form = ConcernForm(request.POST or None, instance=flagging.get_settings(request.member.school))
    if form.is_valid():
        form.save()
        messages.success(request, "Saved. It counts from the next question on.")
        return redirect("classrooms:concern")
    return render(request, "classrooms/concern.html", {"form": form}, status=422 if form.errors else 200)
