"""One approved page: how it is, reading it again, approving its new text, removing it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from references.approved.reading import approve_page as approve_page
from references.approved.reading import read_approved_page
from references.approved.topics import remove_page
from references.fetching.fetch import FetchFailed
from references.models import ApprovedPage, PageState
from references.outside_calls import may_call_outside
from schools.access import MemberRequest, member_required, must_be_admin
from schools.http import find

_PATIENCE = timedelta(minutes=3)
"""How long after it was added a page is expected to be read by the worker."""


@dataclass(frozen=True)
class PageView:
    """A page as its row shows it. `waits`: the worker will read it in a moment, so the row asks again."""

    page: ApprovedPage
    state: PageState
    waits: bool

    @classmethod
    def of(cls, page: ApprovedPage, *, calls_outside: bool) -> PageView:
        is_new = page.state == PageState.NEW and page.added_at > timezone.now() - _PATIENCE
        return cls(page=page, state=page.current_state, waits=is_new and calls_outside)


@require_GET
@member_required
def show_page_row(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """One row of the list, which asks for itself until the page has been read."""
    return _row(request, _find(request, pk))


@require_POST
@member_required
def check(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Read the page again, now."""
    page = _find(request, pk)
    try:
        current = read_approved_page(page.pk) or page
    except FetchFailed as reason:
        messages.error(request, f"Not read: {reason}")
    else:
        if current.reason:
            messages.warning(request, f"{page.address} could not be read: {current.reason}")
        else:
            messages.success(request, f"{page.address} was read: {current.current_state.label.lower()}.")
    return redirect("references:topic", page.topic_id)


@require_POST
@member_required
def approve_new_text(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Let the new text of a page answer, the one that the admin has seen."""
    page = _find(request, pk)
    if approve_page(page.pk, seen=request.POST.get("seen", "")):
        messages.success(request, f"The new text of {page.address} is used from now on.")
    else:
        messages.warning(request, "The page has been read again in the meantime. Please look at it again.")
    return redirect("references:topic", page.topic_id)


@require_POST
@member_required
def take_page_off(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    page = _find(request, pk)
    remove_page(page)
    messages.success(request, f"{page.address} was removed and is no longer used.")
    return redirect("references:topic", page.topic_id)


def _row(request: MemberRequest, page: ApprovedPage) -> HttpResponse:
    view = PageView.of(page, calls_outside=may_call_outside(page.school))
    return render(request, "references/_page.html", {"view": view})


def _find(request: MemberRequest, pk: UUID) -> ApprovedPage:
    """The page, for an admin: 404 if it is of another school, else 403 for a teacher."""
    page = find(ApprovedPage.objects.for_member(request.member).select_related("school"), pk)
    must_be_admin(request.member)
    return page
