"""Ask about the page of a source alone (W3)."""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from chatbots.conversations.asking import MAX_QUESTION, QuestionRefused
from chatbots.conversations.asking_pages import PageNotAllowed, ask_page
from chatbots.models import MessageSource
from chatbots.streaming import jobs
from corpus.sources import PageUnavailable
from rest.problems import SOON
from schools.access import MemberRequest, member_required
from schools.http import find


@require_http_methods(["GET", "POST"])
@member_required
def ask_about_page(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A form for a question about the page of a source; the answer continues the conversation of the source."""
    sources = MessageSource.objects.for_member(request.member)
    source = find(sources.select_related("message__chat__chatbot__school"), pk)
    chat, problem, status = source.message.chat, "", HTTPStatus.OK
    if chat.chatbot is None or not source.page_can_be_asked:
        raise Http404("There is nothing here.")
    if request.method == "POST":
        try:
            jobs.check_room()
            message = ask_page(
                chatbot=chat.chatbot,
                member=request.member,
                question=request.POST.get("question", ""),
                kind=source.source_kind,
                page=source.external_id,
                title=source.document_title,
                chat=chat,
            )
        except QuestionRefused as reason:
            problem, status = str(reason), HTTPStatus.UNPROCESSABLE_ENTITY
        except jobs.QueueFull as reason:
            problem, status = str(reason), HTTPStatus.SERVICE_UNAVAILABLE
        except PageNotAllowed as reason:
            problem, status = str(reason), HTTPStatus.FORBIDDEN
        except PageUnavailable as reason:
            problem, status = str(reason), HTTPStatus.NOT_FOUND
        else:
            jobs.start(message)
            return redirect(f"{reverse('chatbots:chat', args=[chat.pk])}#turn-{message.pk}")
    context = {"source": source, "question": request.POST.get("question", ""), "problem": problem}
    response = render(request, "chatbots/ask_page.html", context | {"max_question": MAX_QUESTION}, status=status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response["Retry-After"] = str(SOON)
    return response
