"""Pages of a teacher's personal documents: the list, the text, and actions."""

from __future__ import annotations

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from corpus.web import pages
from corpus.web.browse import browse_documents
from corpus.web.bulk_upload import upload_files
from corpus.web.forms import ListForm, TitleForm, UploadForm, form_data, form_status
from corpus.web.listing import PER_PAGE, list_entries
from corpus.web.paste import paste as paste_text
from corpus.web.selected import Kind
from knowledge import services
from knowledge.models import PersonalDocument, PersonalDocumentQuerySet
from schools.access import MemberRequest, member_required
from schools.http import find, takes_files
from schools.models import name_in_school

FEW = 5
"""So many documents need no search and no filters."""


@require_GET
@member_required
def index(request: MemberRequest) -> HttpResponseBase:
    """The list of the member's documents."""
    return _list(request, UploadForm())


@takes_files
@require_POST
@member_required
def upload(request: MemberRequest) -> HttpResponseBase:
    """Upload files. Errors are shown with the list."""
    form = UploadForm(**form_data(request))
    if form.is_valid() and upload_files(
        request, form.cleaned_data["files"], lambda file: services.upload(member=request.member, file=file)
    ):
        return redirect("knowledge:list")
    return _list(request, form, status=422)


@require_http_methods(["GET", "POST"])
@member_required
def paste(request: MemberRequest) -> HttpResponseBase:
    """Add pasted text as a document."""
    return paste_text(
        request,
        app="knowledge",
        where="My documents",
        add=lambda file, title: services.upload(member=request.member, file=file, title=title),
        then="chatbots:start" if request.GET.get("next") == "start" else "",
    )


@require_GET
@gzip_page
@member_required
def detail(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A document with its text and versions."""
    document = find_readable(request, pk)
    context = pages.reading_context(request, document)
    versions = document.versions.annotate(uploader=name_in_school("uploaded_by"))
    return render(request, "knowledge/detail.html", context | {"versions": versions, "newest": document.newest})


@require_GET
@member_required
def file(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The original file of any version."""
    document = find_readable(request, pk)
    return pages.original(request, document, default=document.version)


@require_http_methods(["GET", "POST"])
@member_required
def rename(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Change the title and the subject. The title stays as the file says unless the person has changed it."""
    document = find_readable(request, pk)
    form = TitleForm(**form_data(request), initial={"title": document.title, "subject": document.subject})
    if form.is_valid():
        title = form.cleaned_data["title"] if "title" in form.changed_data else None
        services.describe(document=document, title=title, subject=form.cleaned_data["subject"])
        return redirect("knowledge:detail", pk)
    context = {"document": document, "form": form, "subjects": _documents(request).values_of("subject")}
    return render(request, "knowledge/rename.html", context, status=form_status(form))


def find_readable(request: MemberRequest, pk: UUID) -> PersonalDocument:
    """A document of the member, or 404."""
    return find(PersonalDocument.objects.for_member(request.member), pk)


def _documents(request: MemberRequest) -> PersonalDocumentQuerySet:
    return PersonalDocument.objects.for_member(request.member)


selected = Kind(documents=_documents, check_may_change=lambda request: None)


def _list(request: MemberRequest, form: UploadForm, *, status: int = 200) -> HttpResponse:
    documents = _documents(request)
    wanted = ListForm(request.GET or {}, subjects=documents.values_of("subject"), sort="date")
    page = Paginator(browse_documents(documents, **wanted.filters()), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "form": form,
        "wanted": wanted,
        "few": FEW,
        "page": page,
        "rows": list_entries(page.object_list),
        "has_unused": documents.filter(chatbot_links=None).exists(),
    }
    return render(request, "knowledge/list.html", context, status=status)
