"""The list of conversations, and renaming, deleting, restoring, exporting and printing one."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.conversations import deletion
from chatbots.conversations.asking import MAX_TITLE
from chatbots.conversations.export import export_chat, export_file_name
from chatbots.conversations.listing import CHATS_PER_PAGE, MAX_SEARCH_LENGTH, build_rows, search_chats
from chatbots.conversations.thread import load_thread
from chatbots.models import Chat, Chatbot
from schools.access import MemberRequest, member_required
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.http import find, get_page
from text.visible import is_visible


@never_cache
@require_GET
@member_required
def list_conversations(request: MemberRequest) -> HttpResponseBase:
    """The member's conversations, filtered by chatbot, words and feedback."""
    words = request.GET.get("words", "").replace("\x00", "").strip()[:MAX_SEARCH_LENGTH]
    chatbots = Chatbot.objects.visible_to(request.member)
    chatbot = next((one for one in chatbots if str(one.pk) == request.GET.get("chatbot")), None)
    unhelpful = request.GET.get("feedback") == "down"
    chats = search_chats(request.member, words=words, chatbot=chatbot, unhelpful=unhelpful)
    page = get_page(request, chats, CHATS_PER_PAGE)
    context = {
        "page": page,
        "rows": build_rows(list(page), words, unhelpful),
        "words": words,
        "chatbot": chatbot,
        "chatbots": chatbots,
        "unhelpful": unhelpful,
        "is_filtered": bool(words or chatbot or unhelpful),
        "deleted_count": Chat.objects.for_member_with_deleted(request.member).deleted().count(),
        "max_words": MAX_SEARCH_LENGTH,
    }
    return render(request, "chatbots/conversations.html", context)


@never_cache
@require_GET
@member_required
def deleted(request: MemberRequest) -> HttpResponseBase:
    chats = Chat.objects.for_member_with_deleted(request.member).deleted().select_related("chatbot")
    page = get_page(request, chats.order_by("-deleted_at", "-pk"), CHATS_PER_PAGE)
    context = {
        "page": page,
        "chatbots": Chatbot.objects.for_member_with_deleted(request.member).deleted().order_by("-deleted_at", "-pk"),
        "days": settings.LECTERN_KEEP_DELETED_DAYS,
        "log_days": settings.LECTERN_QUESTION_LOG_DAYS,
    }
    return render(request, "chatbots/deleted_conversations.html", context)


@require_http_methods(["GET", "POST"])
@member_required
def rename_conversation(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    title = request.POST.get("title", "").replace("\x00", "").strip()
    if request.method == "POST" and is_visible(title) and len(title) <= MAX_TITLE:
        Chat.objects.filter(pk=chat.pk).update(title=title)
        return redirect("chatbots:chats") if _from_list(request) else redirect("chatbots:chat", chat.pk)
    is_long = len(title) > MAX_TITLE
    wrong = f"At most {MAX_TITLE} characters are possible. Please shorten it." if is_long else "Please give it a name."
    error = wrong if request.method == "POST" else ""
    context = {"chat": chat, "title": title or chat.title, "error": error, "from_list": _from_list(request)}
    return render(request, "chatbots/rename_chat.html", context, status=422 if error else 200)


@require_POST
@member_required
def delete_conversation(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Delete without asking for confirmation, since it can be undone."""
    chat = find(Chat.objects.for_member_with_deleted(request.member), pk)
    deletion.delete_chat(chat)
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
def restore_conversation(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chat = find(Chat.objects.for_member_with_deleted(request.member), pk)
    deletion.restore_chat(chat)
    messages.success(request, f"The conversation “{chat.title}” is back.")
    return redirect("chatbots:chats") if _from_list(request) else redirect("chatbots:chat", chat.pk)


@require_http_methods(["GET", "POST"])
@member_required
def confirm_conversation_erasure(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Erase a deleted conversation for good."""
    chat = find(Chat.objects.for_member_with_deleted(request.member).deleted(), pk)
    if request.method == "POST":
        if deletion.erase_chat(chat):
            messages.success(request, f"The conversation “{chat.title}” is deleted for good.")
        return redirect("chatbots:deleted-chats")
    context = {"chat": chat, "log_days": settings.LECTERN_QUESTION_LOG_DAYS}
    return render(request, "chatbots/erase_chat.html", context)


@require_GET
@member_required
def export_conversation(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Download the conversation as Markdown."""
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    response = HttpResponse(
        export_chat(chat, [one.message for one in load_thread(chat)]), content_type="text/markdown; charset=utf-8"
    )
    response["Content-Disposition"] = content_disposition_header(True, export_file_name(chat.title)) or ""
    record(Action.CONVERSATION_EXPORTED, school=chat.school_id, subject=chat)
    response["Cache-Control"] = "private, no-store"
    return response


@never_cache
@require_GET
@member_required
def print_chat(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The conversation for printing or saving as PDF."""
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    asked = [one.message for one in load_thread(chat)]
    return render(request, "chatbots/print_chat.html", {"chat": chat, "asked": asked})


def _from_list(request: MemberRequest) -> bool:
    """Whether the action was started from the list, to which the response then returns."""
    return (request.POST.get("from") or request.GET.get("from")) == "list"
