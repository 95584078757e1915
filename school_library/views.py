"""Pages that only the library has: publishing and withdrawing a document."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from school_library.models import SchoolDocument
from school_library.services import set_published
from schools.access import MemberRequest, member_required, must_be_admin
from schools.http import find


@require_POST
@member_required
def publish_document(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    document = _find(request, pk)
    set_published(document=document, published=True)
    messages.success(request, f"“{document.title}” is published: teachers find it, and chatbots answer from it.")
    return redirect("school_library:detail", pk)


@require_http_methods(["GET", "POST"])
@member_required
def withdraw(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask, and withdraw a document from answers."""
    document = _find(request, pk)
    if request.method == "POST":
        set_published(document=document, published=False)
        messages.success(request, f"“{document.title}” is withdrawn: no chatbot answers from it any more.")
        return redirect("school_library:detail", pk)
    return render(request, "school_library/withdraw.html", {"document": document})


def _find(request: MemberRequest, pk: UUID) -> SchoolDocument:
    """The document, for an admin: 404 if the member may not see it, else 403 for a teacher."""
    document = find(SchoolDocument.objects.for_member(request.member), pk)
    must_be_admin(request.member)
    return document
