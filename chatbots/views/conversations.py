"""The list of one's conversations, and what is done with a whole one: renaming, deleting and taking that back,
exporting and printing."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.conversations import deletion
from chatbots.conversations.export import file_name, markdown_of
from chatbots.conversations.listing import MAX_WORDS, PER_PAGE, listed, rows
from chatbots.conversations.services import MAX_TITLE
from chatbots.conversations.thread import turns_of
from chatbots.models import Chat, Chatbot
from schools.access import MemberRequest, member_required
from schools.http import find


@never_cache
@require_GET
@member_required
def index(request: MemberRequest) -> HttpResponseBase:
    """All of the member's conversations, or those with a chatbot, or those in which words stand."""
    words = request.GET.get("words", "").replace("\x00", "").strip()[:MAX_WORDS]
    chatbots = Chatbot.objects.for_member(request.member)
    chatbot = next((one for one in chatbots if str(one.pk) == request.GET.get("chatbot")), None)
    unhelpful = request.GET.get("feedback") == "down"
    chats = listed(request.member, words=words, chatbot=chatbot, unhelpful=unhelpful)
    page = Paginator(chats, PER_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "page": page,
        "rows": rows(list(page), words, unhelpful),
        "query": query.urlencode(),
        "words": words,
        "chatbot": chatbot,
        "chatbots": chatbots,
        "unhelpful": unhelpful,
        "is_filtered": bool(words or chatbot or unhelpful),
        "deleted_count": Chat.objects.for_member_with_deleted(request.member).deleted().count(),
        "max_words": MAX_WORDS,
    }
    return render(request, "chatbots/conversations.html", context)


@never_cache
@require_GET
@member_required
def deleted(request: MemberRequest) -> HttpResponseBase:
    chats = Chat.objects.for_member_with_deleted(request.member).deleted().select_related("chatbot")
    page = Paginator(chats.order_by("-deleted_at", "-pk"), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "days": settings.LECTERN_KEEP_DELETED_DAYS,
        "log_days": settings.LECTERN_QUESTION_LOG_DAYS,
    }
    return render(request, "chatbots/deleted_conversations.html", context)


@require_http_methods(["GET", "POST"])
@member_required
def rename(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    title = request.POST.get("title", "").replace("\x00", "").strip()[:MAX_TITLE]
    if request.method == "POST" and title:
        Chat.objects.filter(pk=chat.pk).update(title=title)
        return redirect("chatbots:chats") if _from_list(request) else redirect("chatbots:chat", chat.pk)
    error = "Please give it a name." if request.method == "POST" else ""
    context = {"chat": chat, "error": error, "from_list": _from_list(request)}
    return render(request, "chatbots/rename_chat.html", context, status=422 if error else 200)


@require_POST
@member_required
def delete(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Without a question before it, since it can be taken back."""
    chat = find(Chat.objects.for_member_with_deleted(request.member), pk)
    deletion.delete(chat)
    undo = reverse("chatbots:restore-chat", args=[chat.pk])
    messages.success(
        request,
        f"The conversation “{chat.title}” is deleted.",
        extra_tags=f"{undo}?from=list" if _from_list(request) else undo,
    )
    if _from_list(request) or chat.chatbot_id is None:
        return redirect("chatbots:chats")
    return redirect("chatbots:new-chat", chat.chatbot_id)


@require_POST
@member_required
def restore(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chat = find(Chat.objects.for_member_with_deleted(request.member), pk)
    deletion.restore(chat)
    messages.success(request, f"The conversation “{chat.title}” is back.")
    return redirect("chatbots:chats") if _from_list(request) else redirect("chatbots:chat", chat.pk)


@require_http_methods(["GET", "POST"])
@member_required
def erase(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Delete for good what is deleted already."""
    chat = find(Chat.objects.for_member_with_deleted(request.member).deleted(), pk)
    if request.method == "POST":
        if deletion.erase(chat):
            messages.success(request, f"The conversation “{chat.title}” is deleted for good.")
        return redirect("chatbots:deleted-chats")
    context = {"chat": chat, "log_days": settings.LECTERN_QUESTION_LOG_DAYS}
    return render(request, "chatbots/erase_chat.html", context)


@require_GET
@member_required
def export(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The conversation as a file of Markdown."""
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    response = HttpResponse(
        markdown_of(chat, turns_of(chat)),
        content_type="text/markdown; charset=utf-8",
    )
    response["Content-Disposition"] = content_disposition_header(True, file_name(chat.title)) or ""
    response["Cache-Control"] = "private, no-store"
    return response


@never_cache
@require_GET
@member_required
def on_paper(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The conversation made for printing, and for saving as PDF."""
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    return render(request, "chatbots/print_chat.html", {"chat": chat, "turns": turns_of(chat)})


def _from_list(request: MemberRequest) -> bool:
    """Whether it was done in the list, where one then stays."""
    return (request.POST.get("from") or request.GET.get("from")) == "list"
