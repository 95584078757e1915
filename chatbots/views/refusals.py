"""What helps on from a refusal: documents that would answer, a document to add, and asking once more."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from chatbots.conversations import asking
from chatbots.insights.suggestions import suggest_documents
from chatbots.insights.unanswered import get_chatbot
from chatbots.models import Message, MessageStatus, Mode
from chatbots.services import link_document
from chatbots.streaming import jobs
from chatbots.views.chats import refuse, render_exchange
from chatbots.views.members import get_policy
from corpus.ingestion.storage import UploadRefused
from corpus.source_kinds import get_kind
from corpus.web.forms import ACCEPT
from engines.errors import EngineError
from knowledge import services
from knowledge.models import PersonalDocument
from schools.access import MemberRequest, member_required
from schools.http import allow_files, find, parse_uuid


class MissingDocumentForm(forms.Form):
    """One file. An empty one passes, so that the upload can say what is wrong with it."""

    file = forms.FileField(
        label="Add a document that answers it",
        allow_empty_file=True,
        error_messages={"required": "Choose a file first."},
        widget=forms.FileInput(attrs={"accept": ACCEPT}),
    )


@allow_files
@never_cache
@require_http_methods(["GET", "POST"])
@member_required
def help_on(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """What would answer the question, and a form to add a document; with `?added=` how far that document is."""
    message = _refusal(request, pk)
    if request.method == "POST":
        return _add(request, message)
    if request.GET.get("added"):
        linked = PersonalDocument.objects.for_member(request.member).filter(chatbots=get_chatbot(message))
        document = find(linked, parse_uuid(request.GET["added"]))
        return render(request, "chatbots/_added_document.html", {"message": message, "document": document})
    return _help(request, message, MissingDocumentForm(auto_id=f"id_%s_{pk}"))


@require_POST
@member_required
def link_and_ask_anew(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Ask the question once more, after linking the document that the form names, if any."""
    message = _refusal(request, pk)
    try:
        jobs.check_room()
        with transaction.atomic():
            if kind := request.POST.get("kind"):
                documents = get_kind(kind).documents_for
                if documents is None:
                    raise Http404("There is nothing here.")
                document = find(documents(request.member), parse_uuid(request.POST.get("document")))
                link_document(chatbot=get_chatbot(message), document=document)
            asked = asking.ask_anew(policy=get_policy(request), message=message)
    except jobs.QueueFull as reason:
        return refuse(reason)
    except (Message.DoesNotExist, asking.Gone):
        raise Http404("There is nothing here.") from None
    if not asked.is_finished:
        jobs.start(asked)
    page = f"{reverse('chatbots:chat', args=[asked.chat_id])}#turn-{asked.first_id}"
    if not request.headers.get("HX-Request"):
        return redirect(page)
    if asked.first_id != message.first_id:
        return HttpResponse(headers={"HX-Redirect": page})
    return render_exchange(request, get_policy(request), asked)


def _refusal(request: MemberRequest, pk: UUID) -> Message:
    """A refusal of a chatbot of the member, who may therefore change what it reads."""
    mine = Message.objects.for_member(request.member).about_all_sources()
    mine = mine.filter(chat__chatbot__owner=request.member.user_id, chat__chatbot__is_tutor=False)
    refused = mine.filter(status=MessageStatus.DONE, mode=Mode.REFUSED)
    return find(refused.select_related("chat__chatbot__school"), pk)


def _add(request: MemberRequest, message: Message) -> HttpResponseBase:
    """Add a file to the member's documents and let the chatbot read it."""
    form = MissingDocumentForm(request.POST, request.FILES, auto_id=f"id_%s_{message.pk}")
    is_fragment = bool(request.headers.get("HX-Request"))
    if form.is_valid():
        try:
            document, is_new = services.upload(member=request.member, file=form.cleaned_data["file"])
        except UploadRefused as reason:
            form.add_error("file", str(reason))
        else:
            link_document(chatbot=get_chatbot(message), document=document)
            if is_fragment:
                context = {"message": message, "document": document, "is_known": not is_new}
                return render(request, "chatbots/_added_document.html", context)
            messages.success(request, f"“{document.title}” was added. Ask again when it has been read.")
            return redirect(_get_chat_url(message))
    if is_fragment:
        return _help(request, message, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    messages.error(request, f"Not taken: {form.errors['file'][0]}")
    return redirect(_get_chat_url(message))


def _help(
    request: MemberRequest, message: Message, form: MissingDocumentForm, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    context: dict[str, Any] = {"message": message, "form": form, "suggestions": []}
    try:
        context["suggestions"] = suggest_documents(message, request.member)
    except EngineError as problem:
        context["problem"] = str(problem)
    return render(request, "chatbots/_refusal_help.html", context, status=status)


def _get_chat_url(message: Message) -> str:
    return f"{reverse('chatbots:chat', args=[message.chat_id])}#turn-{message.first_id}"
