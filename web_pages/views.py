"""Pages on which a web page becomes a document, and the button that fetches it again."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from corpus.ingestion.storage import UploadRefused
from corpus.web.forms import form_data, form_status
from corpus.web.kinds import DocumentKind
from references.web_page import PageRefused, may_add_web_pages
from schools.access import MemberRequest, member_required
from web_pages.adding import add_page, fetch_again


class WebAddressForm(forms.Form):
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
def add_web_page(request: MemberRequest, kind: DocumentKind) -> HttpResponseBase:
    """Add a page to the documents of a kind; to the library it is published at once."""
    kind.check_may_change(request.member)
    form, then = WebAddressForm(**form_data(request)), kind.next_page(request)
    if form.is_valid():
        try:
            document, is_new = add_page(kind, request.member, form.cleaned_data["address"])
        except (PageRefused, UploadRefused) as reason:
            form.add_error("address", str(reason))
        else:
            title = document.title
            if is_new:
                messages.success(request, f"“{title}” is added. It is being read now.")
            else:
                messages.info(request, f"This page is there already, as “{title}”. “Fetch again” brings it up to date.")
            return redirect(then) if then else kind.redirect_to(document)
    is_allowed = may_add_web_pages(request.member.school)
    context = {"form": form, "kind": kind, "app": kind.app, "then": then, "is_allowed": is_allowed}
    return render(request, "web_pages/add.html", context, status=form_status(form))


@require_POST
@member_required
def again(request: MemberRequest, kind: DocumentKind, pk: UUID) -> HttpResponseBase:
    document = kind.find(request.member, pk)
    kind.check_may_change(request.member)
    if not document.newest.web_address:
        messages.error(request, f"“{document.title}” is a file, and no web page: nothing was fetched.")
        return kind.redirect_to(document)
    try:
        has_changed = fetch_again(document, by=request.member.user)
    except (PageRefused, UploadRefused) as reason:
        messages.error(request, f"Not fetched: {reason} “{document.title}” stays as it is.")
    else:
        if has_changed:
            messages.success(request, f"“{document.title}” was fetched again, and is being read now.")
        else:
            messages.info(request, f"“{document.title}” was fetched again. The page has not changed.")
    return kind.redirect_to(document)
