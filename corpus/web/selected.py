"""What can be done with several documents of a list at once.

The page sends the ids of the checked ones. Ids of documents that the member may not see are ignored in the same words
as those of deleted ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from corpus.ingestion import uploads
from corpus.models import Document
from corpus.querysets import DocumentQuerySet
from corpus.web.forms import SubjectForm, form_status
from corpus.web.kinds import DocumentKind
from schools.access import MemberRequest
from schools.http import parse_uuid

_NONE_CHOSEN = "Choose documents first: tick the boxes beside them."
_NOT_FOUND = "{} not found; perhaps somebody has deleted or withdrawn {} meanwhile."


def act(request: MemberRequest, kind: DocumentKind) -> HttpResponseBase:
    """Do `action` with the chosen documents, or ask for what it needs first."""
    documents = kind.documents(request.member)
    action = {"again": read_again, "subject": file_under, "delete": delete_selected}.get(request.POST.get("action", ""))
    if action is None:
        raise Http404("There is nothing here.")
    chosen = find_chosen(request, documents)
    if chosen:
        kind.check_may_change(request.member)
        return action(request, documents, chosen)
    return back_to_list(request, documents)


def find_chosen(request: HttpRequest, documents: DocumentQuerySet[Any]) -> list[Document]:
    """Those of the documents that the form names, by title. Adds a message if it names none, or if some are missing."""
    keys = {key for text in request.POST.getlist("documents") if (key := parse_uuid(text))}
    chosen = list(documents.filter(pk__in=keys).order_by("title", "pk"))
    missing = len(keys) - len(chosen)
    if not keys:
        messages.warning(request, _NONE_CHOSEN)
    elif missing == 1:
        messages.warning(request, _NOT_FOUND.format("One of the documents you chose was", "it"))
    elif missing:
        messages.warning(request, _NOT_FOUND.format(f"{missing} of the documents you chose were", "them"))
    return chosen


def read_again(request: HttpRequest, documents: DocumentQuerySet[Any], chosen: Sequence[Document]) -> HttpResponseBase:
    """Index those that are not waiting already."""
    idle = [document for document in chosen if not document.is_pending]
    for document in idle:
        uploads.retry(document)
    if idle:
        messages.info(request, f"{format_count(idle)} will be read again.")
    if waiting := chosen[len(idle) :]:
        messages.info(request, f"{format_count(waiting)} {'is' if len(waiting) == 1 else 'are'} being read already.")
    return back_to_list(request, documents)


def file_under(request: HttpRequest, documents: DocumentQuerySet[Any], chosen: Sequence[Document]) -> HttpResponseBase:
    """Ask for a subject, and set it."""
    form = SubjectForm(request.POST if "subject" in request.POST else None)
    if not form.is_valid():
        context = {"form": form, "subjects": documents.list_values("subject")}
        return _ask(request, "subject", chosen, context, status=form_status(form))
    subject = documents.file_under(form.cleaned_data["subject"], [document.pk for document in chosen])
    words = f"filed under “{subject}”" if subject else "without a subject now"
    messages.success(request, f"{format_count(chosen)} {'is' if len(chosen) == 1 else 'are'} {words}.")
    return back_to_list(request, documents)


def delete_selected(
    request: HttpRequest, documents: DocumentQuerySet[Any], chosen: Sequence[Document]
) -> HttpResponseBase:
    """Ask, and delete."""
    if "confirmed" not in request.POST:
        return _ask(request, "delete", chosen, {})
    for document in chosen:
        uploads.delete(document)
    messages.success(request, f"{format_count(chosen)} {'was' if len(chosen) == 1 else 'were'} deleted.")
    return back_to_list(request, documents)


def format_count(documents: Sequence[object]) -> str:
    return "One document" if len(documents) == 1 else f"{len(documents)} documents"


def back_to_list(request: HttpRequest, documents: DocumentQuerySet[Any]) -> HttpResponseBase:
    """Redirect to the list with the search and filters that were on the screen."""
    query = QueryDict(request.POST.get("back", "")).urlencode()
    page = reverse(f"{documents.model._meta.app_label}:list") + (f"?{query}" if query else "")
    return HttpResponse(headers={"HX-Redirect": page}) if request.headers.get("HX-Request") else redirect(page)


def _ask(
    request: HttpRequest, name: str, chosen: Sequence[Document], context: dict[str, Any], *, status: int = 200
) -> HttpResponseBase:
    context = {"chosen": chosen, "app": chosen[0]._meta.app_label, "back": request.POST.get("back", ""), **context}
    return render(request, f"corpus/selected_{name}.html", context, status=status)
