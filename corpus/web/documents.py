"""The pages of documents of any kind: the list, uploading, the text of one, its file, title and tags."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render

from corpus.ingestion import uploads
from corpus.models import Document
from corpus.web import pages
from corpus.web.browse import browse_documents
from corpus.web.bulk_upload import upload_files
from corpus.web.forms import DocumentForm, ListForm, UploadForm, form_data, form_status
from corpus.web.kinds import DocumentKind
from corpus.web.listing import list_entries
from schools.access import MemberRequest
from schools.http import get_page
from schools.models import name_in_school

FEW = 5
"""So many documents of one's own need no search and no filters."""


def show_list(
    request: MemberRequest, kind: DocumentKind, form: UploadForm | None = None, *, status: int = 200
) -> HttpResponse:
    """The list, with the form for new files where each member adds their own."""
    documents, may_change = kind.listed(request.member), kind.may_change(request.member)
    wanted = ListForm(request.GET or {}, documents=documents, sort=kind.sort, may_change=may_change)
    page = get_page(request, browse_documents(documents, **wanted.filters()))
    context = {
        **_describe(request, kind),
        "form": form or UploadForm(),
        "wanted": wanted,
        "few": FEW,
        "page": page,
        "rows": list_entries(page.object_list),
        "unused": documents.filter(chatbot_links=None),
    }
    return render(request, f"{kind.app}/list.html", context, status=status)


def upload_documents(request: MemberRequest, kind: DocumentKind) -> HttpResponseBase:
    """Upload files, those of a shared kind with a description and tags."""
    form = UploadForm(**form_data(request), described=kind.model if kind.is_shared else None)
    if form.is_valid() and upload_files(
        request,
        form.cleaned_data["files"],
        lambda file: kind.upload(member=request.member, file=file, **form.tags()),
    ):
        return redirect(f"{kind.app}:list")
    status = 422 if request.method == "POST" else 200
    if not kind.is_shared:
        return show_list(request, kind, form, status=status)
    context = {**_describe(request, kind), **_known_tags(request, kind), "form": form}
    return render(request, f"{kind.app}/upload.html", context, status=status)


def show_document(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """A document with its text, and its versions for whoever may change it."""
    context = {**_describe(request, kind), **pages.reading_context(request, document), "newest": document.newest}
    context["can_report"] = True
    if kind.may_change(request.member):
        context["versions"] = document.versions.annotate(uploader=name_in_school("uploaded_by"))
    return render(request, "corpus/detail.html", context)


def file(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """The original file, of any version for whoever may change the document."""
    asked = pages.number_in(request, "version") if kind.may_change(request.member) else None
    return pages.version_file(document, asked or kind.readable_version(request.member, document))


def edit_document(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponseBase:
    """Change title and tags. The title stays as the file says unless the person has changed it."""
    form = DocumentForm(**form_data(request), document=document)
    if form.is_valid():
        uploads.describe(document, **form.changes())
        messages.success(request, "Saved.")
        return kind.redirect_to(document)
    context = {**_describe(request, kind), **_known_tags(request, kind), "document": document, "form": form}
    return render(request, "corpus/edit.html", context, status=form_status(form))


def row(request: MemberRequest, kind: DocumentKind, document: Document) -> HttpResponse:
    """One row of the list, which polls itself while the document is indexed. Then the page of the document reloads."""
    where = request.GET.get("from")
    context = {**_describe(request, kind), "document": document, "newest": document.newest, "where": where}
    response = render(request, "corpus/_choice.html" if where == "choice" else "corpus/_row.html", context)
    if where == "detail" and not document.is_pending:
        response["HX-Refresh"] = "true"
    return response


def _describe(request: MemberRequest, kind: DocumentKind) -> dict[str, object]:
    return {"kind": kind, "app": kind.app, "may_change": kind.may_change(request.member)}


def _known_tags(request: MemberRequest, kind: DocumentKind) -> dict[str, list[str]]:
    """The values of tags that are offered while one is typed."""
    documents = kind.documents(request.member)
    return {f"{tag}s": documents.list_values(tag) for tag in ("subject", "grade") if tag in kind.model.TAGS}
