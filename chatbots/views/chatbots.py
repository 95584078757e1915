"""Pages about chatbots: the list, the form with its preview of places, deletion."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.conversations import deletion
from chatbots.forms import ChangedMeanwhile, ChatbotForm
from chatbots.insights import unanswered
from chatbots.insights.usage import PERIODS, compute_chatbot_usage
from chatbots.models import Chatbot
from chatbots.sharing.access import find_editable, find_own_with_deleted
from chatbots.sharing.listing import MAX_WORDS, SORTS, list_chatbots
from chatbots.sharing.revocation import delete_chatbot
from schools.access import MemberRequest, member_required
from schools.http import find, parse_uuid


@never_cache
@require_GET
@member_required
def show_chatbots(request: MemberRequest) -> HttpResponseBase:
    """The member's chatbots, searched by `?words=` and sorted by `?sort=`."""
    words = request.GET.get("words", "").replace("\x00", "").strip()[:MAX_WORDS]
    sort = request.GET.get("sort", "")
    sort = sort if sort in SORTS else "used"
    open_questions = unanswered.count_by_chatbot(request.member)
    context = {
        "list": list_chatbots(request.member, open_questions, words=words, sort=sort),
        "words": words,
        "sort": sort,
        "sorts": SORTS,
        "max_words": MAX_WORDS,
        "unanswered": sum(open_questions.values()),
        "has_templates": Chatbot.objects.templates_for(request.member).exists(),
        "deleted": Chatbot.objects.for_member_with_deleted(request.member).deleted().count(),
    }
    return render(request, "chatbots/list.html", context)


@require_http_methods(["GET", "POST"])
@member_required
def set_up_chatbot(request: MemberRequest) -> HttpResponseBase:
    form = ChatbotForm(request.POST or None, member=request.member)
    if request.method == "POST" and form.is_valid():
        chatbot = form.save()
        messages.success(request, f"“{chatbot.name}” is ready. Ask it something.")
        return redirect("chatbots:new-chat", chatbot.pk)
    return _form(request, form)


@require_http_methods(["GET", "POST"])
@member_required
def edit_chatbot(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chatbot = find_editable(request.member, pk)
    form = ChatbotForm(request.POST or None, instance=chatbot, member=request.member)
    if request.method == "POST" and form.is_valid():
        try:
            form.save()
        except Chatbot.DoesNotExist:
            form.add_error(None, "This chatbot has been deleted meanwhile. You can save what you typed as a new one.")
            return _form(request, form)
        except ChangedMeanwhile as reason:
            form.add_error(None, str(reason))
            return _form(request, form, Chatbot.objects.get(pk=pk))
        messages.success(request, render_to_string("chatbots/_saved.html", {"chatbot": chatbot}, request))
        return redirect("chatbots:new-chat", pk)
    return _form(request, form, Chatbot.objects.get(pk=pk))


@require_POST
@member_required
def confirm_chatbot_deletion(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Delete without asking for confirmation, since it can be undone."""
    chatbot = find_own_with_deleted(request.member, pk)
    delete_chatbot(chatbot)
    others = " Colleagues can no longer open it." if chatbot.collaborators.exists() else ""
    messages.success(
        request,
        f"“{chatbot.name}” and its conversations are deleted.{others} Your documents stay.",
        extra_tags=reverse("chatbots:restore", args=[pk]),
    )
    return redirect("chatbots:list")


@require_POST
@member_required
def bring_chatbot_back(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chatbot = find_own_with_deleted(request.member, pk)
    deletion.restore_chatbot(chatbot)
    messages.success(request, f"“{chatbot.name}” is back, with its conversations.")
    return redirect("chatbots:list")


@require_http_methods(["GET", "POST"])
@member_required
def confirm_chatbot_erasure(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Erase a deleted chatbot for good."""
    chatbot = find(Chatbot.objects.for_member_with_deleted(request.member).deleted(), pk)
    if request.method == "POST":
        if deletion.erase_deleted_chatbot(chatbot):
            messages.success(request, f"“{chatbot.name}” is deleted for good.")
        return redirect("chatbots:deleted-chats")
    chats = chatbot.chats.kept()
    context = {
        "chatbot": chatbot,
        "chat_count": chats.count(),
        "of_colleagues": chats.exclude(participant__user=request.member.user_id).count(),
        "log_days": settings.LECTERN_QUESTION_LOG_DAYS,
    }
    return render(request, "chatbots/erase_chatbot.html", context)


@require_http_methods(["POST"])
@member_required
def places(request: MemberRequest) -> HttpResponseBase:
    """The preview beside the weights: how the form's current values would share the places."""
    key = parse_uuid(request.GET.get("chatbot"))
    chatbot = Chatbot.objects.editable_by(request.member).filter(pk=key).first() if key else None
    form = ChatbotForm(request.POST, instance=chatbot, member=request.member)
    form.is_valid()
    return render(request, "chatbots/_places.html", form.places_preview())


def _form(request: MemberRequest, form: ChatbotForm, chatbot: Chatbot | None = None) -> HttpResponseBase:
    # A row of its own: validation changes it.
    stored = Chatbot.objects.filter(pk=chatbot.pk).first() if chatbot else None
    preview = form if form.is_bound else ChatbotForm(_as_data(form), instance=stored, member=request.member)
    preview.is_valid()
    is_own = chatbot is not None and chatbot.owner_id == request.member.user_id
    usages = [compute_chatbot_usage(chatbot, days=days) for days in PERIODS] if chatbot and is_own else []
    context = {"form": form, "chatbot": chatbot, "usages": usages, "is_own": is_own, **preview.places_preview()}
    return render(request, "chatbots/form.html", context, status=422 if form.errors else 200)


def _as_data(form: ChatbotForm) -> dict[str, object]:
    """The initial values of an unbound form as form data, for the first preview."""
    return {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()} | {"name": "-"}
