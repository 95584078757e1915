"""Sources and prompt of an answer, and fragments about chatbots for the pages of documents."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods

from chatbots.answering.prompt_record import build_record_context
from chatbots.citations.source_view import open_source
from chatbots.insights import usage
from chatbots.insights.usage import PERIODS
from chatbots.models import Chatbot, Message, MessageSource
from chatbots.services import link_school_document
from corpus.models import Document
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.access import MemberRequest, member_required, must_be_admin
from schools.http import find, parse_uuid


@require_GET
@gzip_page
@member_required
def show_source(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A source of an answer, opened at its passage in the current document or in the stored text."""
    source = find(MessageSource.objects.for_member(request.member).select_related("message"), pk)
    context = open_source(source, request.member, answer=source.message.answer)
    return render(request, "chatbots/source.html", context | {"used_by": "the answer"})


@never_cache
@require_GET
@member_required
def prompt(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Only for the person who asked: the prompt contains their documents, questions and instructions."""
    message = find(Message.objects.for_member(request.member).select_related("chat"), pk)
    return render(request, "chatbots/prompt_record.html", build_record_context(message))


@require_http_methods(["GET", "POST"])
@member_required
def library_links(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Which of the teacher's chatbots read a library document, with a switch for each (L2)."""
    document = find(SchoolDocument.objects.for_member(request.member), pk)
    chatbots = Chatbot.objects.for_member(request.member)
    if request.method == "POST":
        chatbot = find(chatbots, parse_uuid(request.POST.get("chatbot")))
        link_school_document(chatbot=chatbot, document=document, linked=request.POST.get("linked") == "on")
        if not request.headers.get("HX-Request"):
            return redirect("school_library:detail", document.pk)
    linked = set(document.chatbot_links.filter(chatbot__in=chatbots).values_list("chatbot", flat=True))
    context = {"document": document, "chatbots": [(chatbot, chatbot.pk in linked) for chatbot in chatbots]}
    return render(request, "chatbots/_library_links.html", context)


@require_GET
@member_required
def show_document_usage(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """How often a library document is used: figures only (S3, L1). A table with `?table=`."""
    document = find(SchoolDocument.objects.for_member(request.member), pk)
    must_be_admin(request.member)
    return render(request, "chatbots/_document_usage.html", _usage(request, document))


@require_GET
@member_required
def personal_usage(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Which of the teacher's chatbots read one of their own documents, and how often it was found and cited."""
    document = find(PersonalDocument.objects.for_member(request.member), pk)
    chatbots = Chatbot.objects.for_member(request.member).filter(personal_links__document=document)
    context = {"document": document, "chatbots": chatbots, **_usage(request, document)}
    return render(request, "chatbots/_personal_usage.html", context)


def _usage(request: MemberRequest, document: Document) -> dict[str, object]:
    """The context for one sentence or, with `?table=`, for a table."""
    if "table" in request.GET:
        return {"usages": [usage.compute_document_usage(document, days=days) for days in PERIODS]}
    return {"usage": usage.compute_document_usage(document)}
