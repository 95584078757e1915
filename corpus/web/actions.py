"""Actions on a document as pages, for documents of any kind."""

from __future__ import annotations

import uuid_utils.compat
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from corpus.ingestion import uploads
from corpus.ingestion.storage import UploadRefused
from corpus.models import Document
from corpus.web.bulk_upload import find_namesake, have_different_types
from corpus.web.forms import CopyForm, MergeForm, ReplaceForm, form_data, form_status
from corpus.web.kinds import DocumentKind
from schools.access import MemberRequest


def replace_file(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
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
            return kind.redirect_to(document)
    return _page(request, kind, "replace", document, {"form": form}, status=form_status(form))


def keep_both(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
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
        return kind.redirect_to(document)
    return _page(request, kind, "copy", document, {"form": form, "name": name}, status=form_status(form))


def merge_into_earlier(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """Make a document the new version of an earlier one with the same name (D7)."""
    form = MergeForm(**form_data(request))
    if form.is_valid():
        into = kind.find(request.member, form.cleaned_data["into"])
        try:
            uploads.merge(document, into)
        except UploadRefused as reason:
            messages.error(request, str(reason))
        else:
            messages.info(request, f"It is the new version of “{into.title}”. It is being read now.")
        return kind.redirect_to(into)
    offered = find_namesake(document)
    if offered is None:
        messages.info(request, "There is no earlier document of this name any more.")
        return kind.redirect_to(document)
    newest, replaced = document.newest, offered.newest
    types_differ = have_different_types(newest.filename, replaced.filename)
    context = {"into": offered, "newest": newest, "replaced": replaced, "types_differ": types_differ}
    return _page(request, kind, "merge", document, context)


def retry_reading(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """Index the newest version again."""
    messages.info(request, f"“{uploads.retry(document).title}” will be read again.")
    return _back(request, kind, document)


def cancel_update(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """Cancel a version that does not answer yet. Of a first version nothing would be left, so ask before deleting."""
    if document.is_pending and document.answering_version is None:
        return kind.redirect_to(document, "delete")
    if uploads.cancel(document):
        words = "The update of “{}” was cancelled. Version {} keeps answering."
        messages.success(request, words.format(document.title, document.answering_version))
    else:
        messages.info(request, f"Nothing was cancelled: “{document.title}” is no longer being updated.")
    return _back(request, kind, document)


def confirm_deletion(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    if request.method == "POST":
        uploads.delete(document)
        messages.success(request, f"“{document.title}” was deleted.")
        return redirect(f"{kind.app}:list")
    return _page(request, kind, "delete", document, {})


def _page(
    request: MemberRequest,
    kind: DocumentKind,
    name: str,
    document: Document,
    context: dict[str, object],
    *,
    status: int = 200,
) -> HttpResponse:
    context = {"document": document, "kind": kind, "app": kind.app, **context}
    return render(request, f"corpus/{name}.html", context, status=status)


def _back(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """Redirect to the page with the button: the document or the list."""
    return kind.redirect_to(document) if "detail" in request.POST else redirect(f"{kind.app}:list")
