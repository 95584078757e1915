"""Pages on which a web page becomes a document, and the button that fetches it again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from corpus.ingestion.storage import UploadRefused
from corpus.models import Document
from corpus.querysets import DocumentQuerySet
from corpus.web.forms import form_data, form_status
from knowledge import services as knowledge
from knowledge.models import PersonalDocument
from references.web_page import PageRefused, web_pages_allowed
from school_library import services as library
from school_library.models import SchoolDocument
from schools.access import MemberRequest, admin_required, member_required
from schools.http import find
from web_pages.adding import Upload, add_page, fetch_again


class AddressForm(forms.Form):
    """The address of a web page."""

    address = forms.CharField(
        label="Address of the page",
        max_length=2000,
        widget=forms.TextInput(
            attrs={"inputmode": "url", "autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        ),
        help_text="As it stands in the address line of your browser.",
        error_messages={
            "required": "Write or paste the address of a page.",
            "max_length": "An address has at most 2000 characters.",
        },
    )


@require_http_methods(["GET", "POST"])
@member_required
def personal(request: MemberRequest) -> HttpResponseBase:
    """Add a page to the member's documents."""
    return _add(
        request,
        app="knowledge",
        documents=PersonalDocument.objects.for_member(request.member),
        upload=lambda file, title, origin: knowledge.upload(
            member=request.member, file=file, title=title, origin=origin
        ),
        then="chatbots:start" if request.GET.get("next") == "start" else "",
    )


@require_http_methods(["GET", "POST"])
@admin_required
def in_library(request: MemberRequest) -> HttpResponseBase:
    """Add a page to the library, published."""
    return _add(
        request,
        app="school_library",
        documents=SchoolDocument.objects.for_member(request.member),
        upload=lambda file, title, origin: library.upload(member=request.member, file=file, title=title, origin=origin),
    )


@require_POST
@member_required
def personal_again(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Fetch the page of a document of the member again."""
    return _again(request, find(PersonalDocument.objects.for_member(request.member), pk))


@require_POST
@member_required
def library_again(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Fetch the page of a library document again, for admins."""
    document = find(SchoolDocument.objects.for_member(request.member), pk)
    if not request.member.is_admin:
        raise PermissionDenied("Only admins of your school can change its library.")
    return _again(request, document)


def _add(
    request: MemberRequest, *, app: str, documents: DocumentQuerySet[Any], upload: Upload, then: str = ""
) -> HttpResponseBase:
    form = AddressForm(**form_data(request))
    if form.is_valid():
        try:
            added = add_page(
                school=request.member.school,
                address=form.cleaned_data["address"],
                documents=documents,
                upload=upload,
            )
        except (PageRefused, UploadRefused) as reason:
            form.add_error("address", str(reason))
        else:
            title = added.document.title
            if added.is_new:
                messages.success(request, f"“{title}” is added. It is being read now.")
            else:
                messages.info(request, f"This page is there already, as “{title}”. “Fetch again” brings it up to date.")
            return redirect(then) if then else redirect(f"{app}:detail", added.document.pk)
    context = {"form": form, "app": app, "then": then, "is_allowed": web_pages_allowed(request.member.school)}
    return render(request, "web_pages/add.html", context, status=form_status(form))


def _again(request: MemberRequest, document: Document) -> HttpResponseBase:
    newest = document.newest
    if not newest.web_address:
        messages.error(request, f"“{document.title}” is a file, and no web page: nothing was fetched.")
    else:
        try:
            has_changed = fetch_again(document, by=request.member.user)
        except (PageRefused, UploadRefused) as reason:
            messages.error(request, f"Not fetched: {reason} “{document.title}” stays as it is.")
        else:
            if has_changed:
                messages.success(request, f"“{document.title}” was fetched again, and is being read now.")
            else:
                messages.info(request, f"“{document.title}” was fetched again. The page has not changed.")
    return redirect(f"{document._meta.app_label}:detail", document.pk)
