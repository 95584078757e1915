"""Actions on a document as pages, and their routes, for both kinds.

The app of each kind finds the document and checks permissions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import uuid_utils.compat
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods

from corpus.ingestion import uploads
from corpus.ingestion.storage import UploadRefused
from corpus.models import Document
from corpus.web import drawn_pages, pages
from corpus.web.bulk_upload import have_different_types, namesake_of
from corpus.web.forms import CopyForm, MergeForm, ReplaceForm, form_data, form_status
from schools.access import MemberRequest, member_required
from schools.http import takes_files

Find = Callable[[MemberRequest, UUID], Any]
Action = Callable[[MemberRequest, Any], HttpResponseBase]


def document_routes(*, readable: Find, changeable: Find) -> list[URLPattern]:
    """The routes of one kind. `readable` and `changeable` find a document that the member may read or change.

    They raise 404 and 403 otherwise.
    """
    form, button = ("GET", "POST"), ("POST",)
    return [
        _route("row", pages.row, readable, ("GET",)),
        _route("page", drawn_pages.page, readable, ("GET",)),
        _route("page-picture", drawn_pages.picture, readable, ("GET",)),
        _route("replace", replace, changeable, form),
        _route("copy", copy, changeable, form),
        _route("merge", partial(merge, find=changeable), changeable, form),
        _route("retry", retry, changeable, button),
        _route("cancel", cancel, changeable, button),
        _route("delete", delete, changeable, form),
    ]


def _route(name: str, action: Action, find: Find, methods: Sequence[str]) -> URLPattern:
    @require_http_methods(list(methods))
    @member_required
    def view(request: MemberRequest, pk: UUID) -> HttpResponseBase:
        return action(request, find(request, pk))

    return path(f"<uuid:pk>/{name}/", takes_files(view) if action is replace else view, name=name)


def replace(request: MemberRequest, document: Document) -> HttpResponseBase:
    """Show the form for a new version, and store it."""
    form = ReplaceForm(**form_data(request), initial={"seen": document.last_number})
    if form.is_valid():
        try:
            file, seen = form.cleaned_data["file"], form.cleaned_data["seen"]
            current = uploads.replace(document, file, by=request.member.user, seen=seen)
        except UploadRefused as reason:
            form.add_error("file", str(reason))
            form.data = {"seen": document.last_number}  # the message names that version
        else:
            is_new = current.version != document.version
            words = "The new version of “{}” is uploaded. It is being read now."
            words = words if is_new else "“{}” has this file already. It is read again."
            messages.info(request, words.format(document.title))
            return _to(document)
    return _page(request, "replace", document, {"form": form}, status=form_status(form))


def copy(request: MemberRequest, document: Document) -> HttpResponseBase:
    """Keep a second document with the same file (D7)."""
    name = uploads.clean_filename(request.GET.get("name") or document.newest.filename)
    form = CopyForm(**form_data(request), initial={"key": uuid_utils.compat.uuid7()})
    if form.is_valid():
        try:
            document = uploads.copy(document, filename=name, by=request.member.user, key=form.cleaned_data["key"])
        except UploadRefused as reason:
            messages.error(request, f"Not taken: {reason}")
        else:
            messages.info(request, f"“{document.title}” is a document of its own. It is being read now.")
        return _to(document)
    return _page(request, "copy", document, {"form": form, "name": name}, status=form_status(form))


def merge(request: MemberRequest, document: Document, find: Find) -> HttpResponseBase:
    """Make a document the new version of an earlier one with the same name (D7).

    `find` looks up the document to merge into, or raises 404.
    """
    form = MergeForm(**form_data(request))
    if form.is_valid():
        into = find(request, form.cleaned_data["into"])
        try:
            uploads.merge(document, into)
        except UploadRefused as reason:
            messages.error(request, str(reason))
        else:
            messages.info(request, f"It is the new version of “{into.title}”. It is being read now.")
        return _to(into)
    offered = namesake_of(document)
    if offered is None:
        messages.info(request, "There is no earlier document of this name any more.")
        return _to(document)
    newest, replaced = document.newest, offered.newest
    types_differ = have_different_types(newest.filename, replaced.filename)
    context = {"into": offered, "newest": newest, "replaced": replaced, "types_differ": types_differ}
    return _page(request, "merge", document, context)


def retry(request: MemberRequest, document: Document) -> HttpResponseBase:
    """Index the newest version again."""
    messages.info(request, f"“{uploads.retry(document).title}” will be read again.")
    return _back(request, document)


def cancel(request: MemberRequest, document: Document) -> HttpResponseBase:
    """Cancel a version that does not answer yet. Of a first version nothing would be left, so ask before deleting."""
    if document.is_pending and document.answering_version is None:
        return _to(document, "delete")
    if uploads.cancel(document):
        words = "The update of “{}” was cancelled. Version {} keeps answering."
        messages.success(request, words.format(document.title, document.answering_version))
    else:
        messages.info(request, f"Nothing was cancelled: “{document.title}” is no longer being updated.")
    return _back(request, document)


def delete(request: MemberRequest, document: Document) -> HttpResponseBase:
    """Ask, and delete the document."""
    app = document._meta.app_label
    if request.method == "POST":
        uploads.delete(document)
        messages.success(request, f"“{document.title}” was deleted.")
        return redirect(f"{app}:list")
    return render(request, f"{app}/delete.html", {"document": document})


def _page(
    request: MemberRequest, name: str, document: Document, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    context = {"document": document, "app": document._meta.app_label, **context}
    return render(request, f"corpus/{name}.html", context, status=status)


def _to(document: Document, page: str = "detail") -> HttpResponseBase:
    return redirect(f"{document._meta.app_label}:{page}", document.pk)


def _back(request: MemberRequest, document: Document) -> HttpResponseBase:
    """Redirect to the page with the button: the document or the list."""
    return _to(document) if "detail" in request.POST else redirect(f"{document._meta.app_label}:list")
