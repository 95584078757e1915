"""A teacher's own documents: the list, each one's text, and what can be done with it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from corpus import pages, uploads
from corpus.forms import MergeForm, RenameForm, ReplaceForm, UploadForm, sent, status_of
from corpus.intake import namesake_of, take_in
from corpus.listing import PER_PAGE, listed
from corpus.storing import UploadRefused
from knowledge import services
from knowledge.models import PersonalDocument
from schools.access import MemberRequest, member_required
from schools.http import find
from schools.models import name_in_school


@require_GET
@member_required
def index(request: MemberRequest) -> HttpResponseBase:
    return _list(request, UploadForm())


@require_POST
@member_required
def upload(request: MemberRequest) -> HttpResponseBase:
    form = UploadForm(**sent(request))
    if not form.is_valid():
        return _list(request, form)
    take_in(
        request,
        form.cleaned_data["files"],
        lambda file: services.upload(member=request.member, file=file),
    )
    return redirect("knowledge:list")


@require_GET
@member_required
def detail(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    document = _find(request, pk)
    context = pages.reading_context(request, document)
    versions = document.versions.annotate(uploader=name_in_school("uploaded_by"))
    return render(
        request, "knowledge/detail.html", context | {"versions": versions, "newest": document.newest}
    )


@require_GET
@member_required
def row(request: MemberRequest, pk: UUID) -> HttpResponse:
    """One row of the list, which asks for itself again while the document is being indexed."""
    document = _find(request, pk)
    context = {"document": document, "newest": document.newest, "where": request.GET.get("from")}
    return pages.refresh_when_done(request, render(request, "knowledge/_row.html", context), document)


@require_GET
@member_required
def file(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    document = _find(request, pk)
    return pages.original(request, document, default=document.version)


@require_http_methods(["GET", "POST"])
@member_required
def copy(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Keep a second document with the same file (D7)."""
    document = _find(request, pk)
    name = uploads.clean_filename(request.GET.get("name") or document.newest.filename)
    if request.method == "POST":
        try:
            document = services.copy(document=document, member=request.member, filename=name)
        except UploadRefused as reason:
            messages.error(request, f"Not taken: {reason}")
        else:
            messages.success(request, f"“{document.title}” was taken in beside the other and is being read.")
        return redirect("knowledge:detail", document.pk)
    return render(request, "knowledge/copy.html", {"document": document, "name": name})


@require_http_methods(["GET", "POST"])
@member_required
def merge(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Make a document that was taken in as a second one the new version of its namesake (D7)."""
    document = _find(request, pk)
    form = MergeForm(**sent(request))
    if form.is_valid():
        into = _find(request, form.cleaned_data["into"])
        try:
            uploads.merge(document, into, by=request.member.user)
        except UploadRefused as reason:
            messages.error(request, str(reason))
        else:
            messages.success(request, f"It is the new version of “{into.title}” and is being read.")
        return redirect("knowledge:detail", into.pk)
    into_offered = namesake_of(document)
    if into_offered is None:
        messages.info(request, "There is no earlier document of this name any more.")
        return redirect("knowledge:detail", pk)
    context = {"document": document, "into": into_offered, "newest": document.newest}
    return render(request, "knowledge/merge.html", context)


@require_http_methods(["GET", "POST"])
@member_required
def replace(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    document = _find(request, pk)
    form = ReplaceForm(**sent(request), initial={"seen": document.last_number})
    if form.is_valid():
        try:
            services.replace(
                document=document,
                member=request.member,
                file=form.uploaded(),
                seen=form.cleaned_data["seen"],
            )
        except UploadRefused as reason:
            form.refuse(str(reason), last=document.last_number)
        else:
            messages.success(
                request, f"The new version of “{document.title}” was taken in and is being read."
            )
            return redirect("knowledge:detail", pk)
    return render(
        request, "knowledge/replace.html", {"document": document, "form": form}, status=status_of(form)
    )


@require_http_methods(["GET", "POST"])
@member_required
def rename(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    document = _find(request, pk)
    form = RenameForm(**sent(request), initial={"title": document.title})
    if form.is_valid():
        services.rename(document=document, title=form.cleaned_data["title"])
        return redirect("knowledge:detail", pk)
    return render(
        request, "knowledge/rename.html", {"document": document, "form": form}, status=status_of(form)
    )


@require_POST
@member_required
def retry(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    document = uploads.retry(_find(request, pk))
    messages.info(request, f"“{document.title}” will be read again.")
    return redirect("knowledge:detail", pk) if "detail" in request.POST else redirect("knowledge:list")


@require_POST
@member_required
def cancel(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Take back a version that does not answer yet. Of a first one nothing would stay: that is asked for first."""
    document = _find(request, pk)
    if document.is_pending and document.answering_version is None:
        return redirect("knowledge:delete", pk)
    pages.tell_cancelled(request, document, uploads.cancel(document))
    return redirect("knowledge:detail", pk) if "detail" in request.POST else redirect("knowledge:list")


@require_http_methods(["GET", "POST"])
@member_required
def delete(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    document = _find(request, pk)
    if request.method == "POST":
        uploads.delete(document)
        messages.success(request, f"“{document.title}” was deleted.")
        return redirect("knowledge:list")
    return render(request, "knowledge/delete.html", {"document": document})


def _find(request: MemberRequest, pk: UUID) -> PersonalDocument:
    return find(PersonalDocument.objects.for_member(request.member), pk)


def _list(request: MemberRequest, form: UploadForm) -> HttpResponse:
    documents = PersonalDocument.objects.for_member(request.member).latest_first()
    page = Paginator(documents, PER_PAGE).get_page(request.GET.get("page"))
    context = {"form": form, "page": page, "rows": listed(page.object_list)}
    return render(request, "knowledge/list.html", context, status=status_of(form))
