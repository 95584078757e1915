"""One conversation, of a member or of a guest: its page, asking, and the stream of an answer.

Each view gets the policy of whoever asks; the routes of each audience wrap them.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.conversations import asking
from chatbots.conversations.audience import AudiencePolicy, select_answer, select_answer_versions, select_chat
from chatbots.conversations.page import load_composer, load_page
from chatbots.conversations.thread import load_exchange, load_newer, load_thread
from chatbots.models import Chat, Chatbot, Message
from chatbots.streaming import jobs, registry
from chatbots.streaming.access import LOST, Subscriber
from chatbots.streaming.page_events import stream_page_events
from chatbots.streaming.responses import make_event_stream
from rest.problems import SOON
from schools.http import find, get_first, parse_uuid

View = Callable[[HttpRequest, AudiencePolicy, UUID], HttpResponseBase]


@never_cache
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """A new conversation. Its first question creates it."""
    chatbot = find(policy.get_chatbots(), pk)
    if request.method == "POST":
        return _ask(request, policy, chatbot, None)
    return render(request, policy.get_template("chat"), load_page(request, policy, chatbot, None))


@never_cache
@require_http_methods(["GET", "POST"])
def show_chat(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """A conversation, and its further questions."""
    chat = get_first(policy.fetch(select_chat, pk))
    if chat.chatbot is None:  # about a selected text: it takes no further questions
        exchanges = policy.present(load_thread(chat, parse_uuid(request.GET.get("answer"))))
        is_named = not any(chat.title == asking.make_title(one.message.question) for one in exchanges)
        context = policy.get_context() | {"chat": chat, "exchanges": exchanges, "is_named": is_named}
        return render(request, "chatbots/selection.html", context)
    if request.method == "POST":
        return _ask(request, policy, chat.chatbot, chat)
    return render(request, policy.get_template("chat"), load_page(request, policy, chat.chatbot, chat))


@require_http_methods(["GET", "POST"])
def ask_first(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """Take a first question. A GET comes from someone who had to sign in again in between."""
    chatbot = find(policy.get_chatbots(), pk)
    return (
        _ask(request, policy, chatbot, None) if request.method == "POST" else redirect(policy.get_url("new-chat", pk))
    )


@require_http_methods(["GET", "POST"])
def ask_further(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """Take a further question."""
    chat = get_first(policy.fetch(select_chat, pk))
    if request.method == "POST" and chat.chatbot:
        chat.chatbot.asker = chat.participant_id
        return _ask(request, policy, chat.chatbot, chat)
    return redirect(policy.get_url("chat", pk))


@require_GET
def exchange(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """One exchange in its current state."""
    return render_exchange(request, policy, find(policy.get_messages(), pk))


@require_POST
def answer_again(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """Answer a question again; earlier answers are kept."""
    message = find(policy.get_messages(), pk)
    if message.has_failed or policy.may_repeat:
        try:
            jobs.check_room()
            message = asking.ask_again(message=message, channel=policy.channel, policy=policy)
        except jobs.QueueFull as reason:
            return refuse(reason)
        except Message.DoesNotExist:
            raise Http404("There is nothing here.") from None
    if not message.is_finished:
        jobs.start(message)
    return _show_changed(request, policy, message)


@require_POST
def stop_answer(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """Stop an answer that is being written and keep the text so far."""
    jobs.stop(find(policy.get_messages(), pk).pk)
    return _show_changed(request, policy, find(policy.get_messages(), pk))


@require_GET
def stream(request: HttpRequest, policy: AudiencePolicy, pk: UUID) -> HttpResponseBase:
    """The growing answer as server-sent events; the last one has the finished exchange."""
    message = get_first(policy.fetch(select_answer, pk))
    job = registry.jobs.get(pk)

    def render_turn() -> str:
        try:
            readable = policy.fetch(select_answer_versions, message.first_id)
            shown = load_exchange(message, readable, written=job.message if job else None)
        except Message.DoesNotExist:  # its conversation may have been deleted meanwhile
            reason = policy.explain_gone(pk)
            return format_html('<p class="notice" role="status"><span>{}</span></p>', reason) if reason else ""
        return render_to_string(policy.exchange_template, policy.show(shown), request)

    def render_sources(message: Message) -> str:
        return render_to_string(policy.get_template("_notes"), policy.get_context() | {"message": message}, request)

    reader = Subscriber(**policy.identify(), message=pk)
    flags = {"cites": policy.cites, "holds": policy.holds}
    lost = policy.lost or LOST
    return make_event_stream(
        stream_page_events(pk, reader, render_sources=render_sources, render_done=render_turn, lost=lost, **flags)
    )


def refuse(reason: jobs.QueueFull) -> HttpResponse:
    """The response to a button while too many questions wait. The page shows these words (page.js)."""
    headers = {"Retry-After": str(SOON)}
    return HttpResponse(str(reason), status=503, headers=headers, content_type="text/plain; charset=utf-8")


def render_exchange(request: HttpRequest, policy: AudiencePolicy, message: Message) -> HttpResponseBase:
    """The fragment of an exchange that shows this answer."""
    return render(request, policy.exchange_template, policy.show(*policy.present([load_exchange(message)])))


def _show_changed(request: HttpRequest, policy: AudiencePolicy, message: Message) -> HttpResponseBase:
    if request.headers.get("HX-Request"):
        return render_exchange(request, policy, message)
    return redirect(policy.get_url("chat", message.chat_id))


def _ask(request: HttpRequest, policy: AudiencePolicy, chatbot: Chatbot, chat: Chat | None) -> HttpResponseBase:
    question, is_fragment = request.POST.get("question", ""), chat and request.headers.get("HX-Request")
    try:
        jobs.check_room()
        message = asking.ask(
            policy=policy,
            chatbot=chatbot,
            question=question,
            chat=chat,
            message_id=parse_uuid(request.POST.get("message_id")),
            is_claimed=True,
        )
    except (asking.QuestionRefused, jobs.QueueFull) as reason:
        context = load_page(request, policy, chatbot, chat) | {"question": question, "question_error": str(reason)}
        if is_fragment:
            context["last"] = request.POST.get("last", "")
        template = "chatbots/_composer.html" if is_fragment else policy.get_template("chat")
        is_full = isinstance(reason, jobs.QueueFull)
        response = render(request, template, context, status=503 if is_full else HTTPStatus.UNPROCESSABLE_ENTITY)
        if is_full:
            response["Retry-After"] = str(SOON)
        if is_fragment:
            response["HX-Retarget"], response["HX-Reswap"] = "#composer", "outerHTML"
        return response
    if not message.is_finished:
        jobs.start(message)
    if is_fragment:
        newer = policy.present(load_newer(message, parse_uuid(request.POST.get("last"))))
        context = load_composer(policy, chatbot, chat) | {"exchanges": newer, "last": message.pk}
        return render(request, "chatbots/_question_sent.html", context)
    return redirect(policy.get_url("chat", message.chat_id))
