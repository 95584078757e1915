"""The school in which a request acts, and helpers that the views of all apps share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.core.files.storage import Storage
from django.core.paginator import Page, Paginator
from django.db import models
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.functional import SimpleLazyObject

from plugins import find_plugins
from schools.audit.recording import current_request
from schools.built_once import build_once
from schools.models import Membership

M = TypeVar("M", bound=models.Model)
T = TypeVar("T")
V = TypeVar("V", bound=Callable[..., Any])

SESSION_KEY = "school"
ONLY_SCHOOL = "only_school"
"""Key of the session: the one school in which it may act, since what began it vouches for the person there only."""
PAGES_OF_SCHOOL = {
    *("chatbots:school-usage", "chatbots:question-log", "chatbots:school-gaps"),
    *("privacy:erase-member", "privacy:erasures", "audit"),
}
"""Those of higher apps of the core; a name of an app stands for all of its pages. All pages of `schools` belong to them
too, but those of access tokens and that of joining."""


def membership(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that sets `request.member` lazily: a `Membership`, or a false value when there is none.

    It also tells the audit log which request is being answered.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        request.member = SimpleLazyObject(lambda: _current_membership(request))  # type: ignore[attr-defined]
        current_request.set(request)
        try:
            return get_response(request)
        finally:
            current_request.set(None)

    return middleware


def _current_membership(request: HttpRequest) -> Membership | None:
    """The person's membership in the school they switched to, else their oldest one."""
    if not request.user.is_authenticated:
        return None
    chosen = request.session.get(SESSION_KEY)
    memberships = _fetch_memberships(request.user.pk)
    if only := request.session.get(ONLY_SCHOOL):
        memberships = [one for one in memberships if str(one.school_id) == only]
    member = min(memberships, key=lambda one: str(one.school_id) != chosen, default=None)
    if member:
        member.user = request.user
    return member


@build_once(UUID(int=1))
def _fetch_memberships(user: UUID) -> models.QuerySet[Membership]:
    return Membership.objects.joined().filter(user=user).select_related("school").order_by("created_at", "pk")


def school(request: HttpRequest) -> dict[str, Any]:
    """Context processor: the current membership, the schools that the person can switch to or is invited to, and
    whether the page is one of those on which admins see and keep their school.
    """
    member = getattr(request, "member", None)
    if not member:
        return {"member": None, "other_memberships": [], "in_school": False}
    others = SimpleLazyObject(lambda: _list_others(request, member))  # most fragments do not show them
    return {"member": member, "other_memberships": others, "in_school": member.is_admin and _is_of_school(request)}


def _list_others(request: HttpRequest, member: Membership) -> models.QuerySet[Membership]:
    others = Membership.objects.filter(user=request.user.pk).exclude(pk=member.pk).select_related("school")
    return others.none() if ONLY_SCHOOL in getattr(request, "session", ()) else others


def _is_of_school(request: HttpRequest) -> bool:
    match = request.resolver_match
    if match is None:
        return False
    if match.app_name == "schools":
        return "token" not in (match.url_name or "") and match.url_name != "join"
    pages = PAGES_OF_SCHOOL.union(*(plugin.school_pages for plugin in find_plugins()))
    return not pages.isdisjoint({match.app_name, match.view_name})


def parse_uuid(text: str | None) -> UUID | None:
    """The id in a form or URL; None if there is none. `find` answers 404 for None."""
    try:
        return UUID(text or "")
    except ValueError:
        return None


def find(rows: models.QuerySet[M], key: UUID | None) -> M:
    """The row with this id in the queryset, else 404 in the same words for every reason (S2)."""
    return get_object_or_404(rows, pk=key)


def get_first(rows: Sequence[T]) -> T:
    """The row that was found, else 404 as with `find`."""
    if not rows:
        raise Http404("There is nothing here.")
    return rows[0]


def get_page(request: HttpRequest, rows: models.QuerySet[M], size: int = 50) -> Page[M]:
    """The page of these rows that `?page=` names; the first one for what is no number, the last for one too large."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def allow_files(view: V) -> V:
    """Decorator for a page to which files are sent: only there may a body be large (config.body_limits)."""
    view.takes_files = True  # type: ignore[attr-defined]
    return view


class FileUnreachable(Exception):
    """A file that is known cannot be reached from this server just now. The message says so in words."""


def download(storage: Storage, path: str, *, filename: str) -> FileResponse:
    """An uploaded file as a download. The browser must never show it as a page of ours."""
    response = FileResponse(
        storage.open(path, "rb"),
        as_attachment=True,
        filename=filename,
        content_type="application/octet-stream",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cache-Control"] = "private, no-store"
    return response
