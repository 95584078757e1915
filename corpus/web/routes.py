"""The routes of the pages of one kind of documents."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponseBase
from django.urls import URLPattern, path
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from corpus.web import actions, documents, drawn_pages
from corpus.web.kinds import DocumentKind
from corpus.web.paste import paste
from corpus.web.selected import act
from schools.access import MemberRequest, member_required
from schools.http import allow_files

_SHOW, _FORM, _BUTTON = ["GET"], ["GET", "POST"], ["POST"]


def document_routes(kind: DocumentKind) -> list[URLPattern]:
    """All routes of a kind. A document that a member may not see is 404, a change by whoever may only read is 403."""
    one = "<uuid:pk>/"
    upload = _guard(kind, documents.upload_documents, _FORM if kind.is_shared else _BUTTON, changes=True)
    return [
        path("", _guard(kind, documents.show_list, _SHOW), name="list"),
        path("upload/", allow_files(upload), name="upload"),
        path("paste/", _guard(kind, paste, _FORM, changes=True), name="paste"),
        path("selected/", _guard(kind, act, _BUTTON), name="selected"),
        path(one, gzip_page(_guard(kind, documents.show_document, _SHOW)), name="detail"),
        path(f"{one}file/", _guard(kind, documents.file, _SHOW), name="file"),
        path(f"{one}row/", _guard(kind, documents.row, _SHOW), name="row"),
        path(f"{one}page/", _guard(kind, drawn_pages.show_drawn_page, _SHOW), name="page"),
        path(f"{one}page-picture/", _guard(kind, drawn_pages.serve_drawn_page, _SHOW), name="page-picture"),
        path(f"{one}report/", _guard(kind, drawn_pages.report_reading, _BUTTON), name="report"),
        path(f"{one}{kind.edit}/", _guard(kind, documents.edit_document, _FORM, changes=True), name=kind.edit),
        path(f"{one}replace/", allow_files(_guard(kind, actions.replace_file, _FORM, changes=True)), name="replace"),
        path(f"{one}copy/", _guard(kind, actions.keep_both, _FORM, changes=True), name="copy"),
        path(f"{one}merge/", _guard(kind, actions.merge_into_earlier, _FORM, changes=True), name="merge"),
        path(f"{one}retry/", _guard(kind, actions.retry_reading, _BUTTON, changes=True), name="retry"),
        path(f"{one}cancel/", _guard(kind, actions.cancel_update, _BUTTON, changes=True), name="cancel"),
        path(f"{one}delete/", _guard(kind, actions.confirm_deletion, _FORM, changes=True), name="delete"),
    ]


def _guard(
    kind: DocumentKind, action: Callable[..., HttpResponseBase], methods: list[str], *, changes: bool = False
) -> Callable[..., HttpResponseBase]:
    """The view of an action of a request, a kind and, if it is about one, a document."""

    @require_http_methods(methods)
    @member_required
    def view(request: MemberRequest, pk: UUID | None = None) -> HttpResponseBase:
        found = [kind.find(request.member, pk)] if pk else []
        if changes:
            kind.check_may_change(request.member)
        return action(request, kind, *found)

    return view
