"""Pages of the school library: every member browses and reads it, admins change it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from corpus.web import pages
from corpus.web.bulk_upload import upload_files
from corpus.web.forms import form_data, form_status
from corpus.web.listing import PER_PAGE, list_entries
from corpus.web.paste import paste as paste_text
from corpus.web.selected import Kind
from school_library import services
from school_library.forms import BrowseForm, DocumentForm, LibraryUploadForm
from school_library.models import SchoolDocument, SchoolDocumentQuerySet
from school_library.search import browse
from schools.access import MemberRequest, admin_required, member_required
from schools.http import find, takes_files
from schools.models import name_in_school


@require_GET
@member_required
def index(request: MemberRequest) -> HttpResponseBase:
    """The whole library for admins; published and indexed documents for teachers."""
    visible = SchoolDocument.objects.for_member(request.member)
    if not request.member.is_admin:
        visible = visible.searchable()
    wanted = BrowseForm(request.GET or {}, **_tag_choices(visible), is_admin=request.member.is_admin)
    page = Paginator(browse(visible, **wanted.filters()), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "wanted": wanted,
        "page": page,
        "rows": list_entries(page.object_list),
    }
    return render(request, "school_library/list.html", context)


@takes_files
@require_http_methods(["GET", "POST"])
@admin_required
def upload(request: MemberRequest) -> HttpResponseBase:
    """Upload files with a description and tags."""
    form = LibraryUploadForm(**form_data(request))
    if form.is_valid() and upload_files(
        request,
        form.cleaned_data["files"],
        lambda file: services.upload(member=request.member, file=file, **form.tags()),
    ):
        return redirect("school_library:list")
    known = _tag_choices(SchoolDocument.objects.for_member(request.member))
    return render(
        request,
        "school_library/upload.html",
        {"form": form} | known,
        status=422 if request.method == "POST" else 200,
    )


@require_http_methods(["GET", "POST"])
@admin_required
def paste(request: MemberRequest) -> HttpResponseBase:
    """Add pasted text as a published document."""
    return paste_text(
        request,
        app="school_library",
        where="Library",
        add=lambda file, title: services.upload(member=request.member, file=file, title=title),
    )


@require_GET
@gzip_page
@member_required
def detail(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A document with its text, and its versions for admins."""
    document = find_readable(request, pk)
    context = pages.reading_context(request, document) | {"newest": document.newest}
    if request.member.is_admin:
        context["versions"] = document.versions.annotate(uploader=name_in_school("uploaded_by"))
    return render(request, "school_library/detail.html", context)


@require_GET
@member_required
def file(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The original file: of any version for admins, of the version that answers for teachers."""
    document = find_readable(request, pk)
    if request.member.is_admin:
        return pages.original(request, document, default=document.version)
    return pages.version_file(document, document.answering_version or document.version)


@require_http_methods(["GET", "POST"])
@member_required
def edit(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Change title, description and tags."""
    document = find_changeable(request, pk)
    form = DocumentForm(**form_data(request), instance=document)
    if form.is_valid():
        services.describe(document=document, **form.changes())
        messages.success(request, "Saved.")
        return redirect("school_library:detail", pk)
    known = _tag_choices(SchoolDocument.objects.for_member(request.member))
    return render(
        request,
        "school_library/edit.html",
        {"document": document, "form": form} | known,
        status=form_status(form),
    )


@require_POST
@member_required
def publish(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Publish a withdrawn document."""
    document = find_changeable(request, pk)
    services.set_published(document=document, published=True)
    messages.success(request, f"“{document.title}” is published: teachers find it, and chatbots answer from it.")
    return redirect("school_library:detail", pk)


@require_http_methods(["GET", "POST"])
@member_required
def withdraw(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask, and withdraw a document from answers."""
    document = find_changeable(request, pk)
    if request.method == "POST":
        services.set_published(document=document, published=False)
        messages.success(request, f"“{document.title}” is withdrawn: no chatbot answers from it any more.")
        return redirect("school_library:detail", pk)
    return render(request, "school_library/withdraw.html", {"document": document})


def find_readable(request: MemberRequest, pk: UUID) -> SchoolDocument:
    """A document that the member may see, or 404."""
    return find(SchoolDocument.objects.for_member(request.member), pk)


def find_changeable(request: MemberRequest, pk: UUID) -> SchoolDocument:
    """The document, for an admin: 404 if the member may not see it, else 403 if they may not change it."""
    document = find_readable(request, pk)
    _must_be_admin(request)
    return document


def _must_be_admin(request: MemberRequest) -> None:
    if not request.member.is_admin:
        raise PermissionDenied("Only admins of your school can change its library.")


def _documents(request: MemberRequest) -> SchoolDocumentQuerySet:
    return SchoolDocument.objects.for_member(request.member)


selected = Kind(documents=_documents, check_may_change=_must_be_admin)


def _tag_choices(documents: SchoolDocumentQuerySet) -> dict[str, list[str]]:
    return {"subjects": documents.values_of("subject"), "grades": documents.values_of("grade")}
