"""Give several documents of a list to chatbots."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_POST

from chatbots.models import Chatbot
from chatbots.services import link_documents
from corpus.source_kinds import list_document_kinds
from corpus.web.selected import back_to_list, find_chosen
from schools.access import MemberRequest, member_required
from schools.http import parse_uuid


@require_POST
@member_required
def give(request: MemberRequest) -> HttpResponseBase:
    """Ask which of the member’s chatbots shall read the chosen documents of a `kind`, and link them."""
    kind = next((kind for kind in list_document_kinds() if kind.value == request.POST.get("kind")), None)
    if kind is None:
        raise Http404("There is nothing here.")
    documents: Any = kind.documents_for(request.member)  # type: ignore[misc]  # a document kind has it
    chosen = find_chosen(request, documents)
    if not chosen:
        return back_to_list(request, documents)
    keys = [document.pk for document in chosen]
    chatbots = Chatbot.objects.for_member(request.member).order_by("name", "pk")
    wanted = chatbots.filter(pk__in=[key for text in request.POST.getlist("chatbots") if (key := parse_uuid(text))])
    for chatbot in wanted:
        link_documents(chatbot=chatbot, documents=documents.filter(pk__in=keys))
    if names := ", ".join(f"“{chatbot.name}”" for chatbot in wanted):
        verb = "reads" if len(wanted) == 1 else "read"
        what = "this document" if len(chosen) == 1 else f"these {len(chosen)} documents"
        messages.success(request, f"{names} {verb} {what} from the next question on.")
        return back_to_list(request, documents)
    context = {
        "kind": kind.value,
        "chosen": chosen,
        "chatbots": [(chatbot, kind.find_documents(chatbot).filter(pk__in=keys).count()) for chatbot in chatbots],  # type: ignore[misc]
        "back": request.POST.get("back", ""),
        "list": f"{documents.model._meta.app_label}:list",
        "problem": "Choose at least one chatbot." if "asked" in request.POST else "",
    }
    return render(request, "chatbots/give.html", context, status=422 if context["problem"] else 200)
