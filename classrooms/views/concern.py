"""For admins: which words of concern are looked for in classes, and what happens when one is found."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from classrooms import flagging
from classrooms.forms import ConcernForm
from classrooms.mails import is_nobody_told
from schools.access import MemberRequest, admin_required


@never_cache
@require_http_methods(["GET", "POST"])
@admin_required
def edit_words_of_concern(request: MemberRequest) -> HttpResponseBase:
    """Show and store the words of concern, and what happens when one is found."""
    school = request.member.school
    form = ConcernForm(request.POST or None, instance=flagging.get_settings(school))
    if form.is_valid():
        form.save()
        messages.success(request, "Saved. It counts from the next question on.")
        return redirect("classrooms:concern")
    context = {"form": form, "is_nobody_told": is_nobody_told(school)}
    return render(request, "classrooms/concern.html", context, status=422 if form.errors else 200)
