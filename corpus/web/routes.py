"""The routes that personal and library documents share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods

from corpus.web import actions, pages
from schools.access import MemberRequest, member_required

Find = Callable[[MemberRequest, UUID], Any]
Action = Callable[[MemberRequest, Any], HttpResponseBase]


def document_routes(*, readable: Find, changeable: Find, copy: Callable[..., Any]) -> list[URLPattern]:
    """The routes of one kind. `readable` and `changeable` find a document that the member may read or change.

    They raise 404 and 403 otherwise. `copy` is the copy service of the app.
    """
    form, button = ("GET", "POST"), ("POST",)
    return [
        _route("row", pages.row, readable, ("GET",)),
        _route("replace", actions.replace, changeable, form),
        _route("copy", partial(actions.copy, make=copy), changeable, form),
        _route("merge", partial(actions.merge, find=changeable), changeable, form),
        _route("retry", actions.retry, changeable, button),
        _route("cancel", actions.cancel, changeable, button),
        _route("delete", actions.delete, changeable, form),
    ]


def _route(name: str, action: Action, find: Find, methods: Sequence[str]) -> URLPattern:
    @require_http_methods(list(methods))
    @member_required
    def view(request: MemberRequest, pk: UUID) -> HttpResponseBase:
        return action(request, find(request, pk))

    return path(f"<uuid:pk>/{name}/", view, name=name)
