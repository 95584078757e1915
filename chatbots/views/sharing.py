"""Pages about sharing a chatbot: with colleagues, as a template; and copying and archiving one."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.models import SHARED_ROLES, Chatbot, ChatbotRole, Collaborator
from chatbots.sharing import colleagues, revocation
from chatbots.sharing.access import find_offered, find_own
from chatbots.sharing.copying import copy_chatbot
from chatbots.sharing.listing import list_templates, set_archived
from schools.access import MemberRequest, member_required
from schools.http import find
from schools.models import Membership


class ColleagueField(forms.ModelChoiceField[Membership]):
    def label_from_instance(self, obj: Membership) -> str:
        return f"{obj.name} ({obj.user.email})" if obj.name != obj.user.email else obj.name


class ShareForm(forms.Form):
    """A colleague, what they may do, and at first whether colleagues get answers from the owner's documents."""

    colleague = ColleagueField(
        queryset=Membership.objects.none(),
        empty_label="Choose a colleague",
        error_messages={
            "required": "Choose a colleague.",
            "invalid_choice": "This colleague is not in the list any more. Choose again.",
        },
    )
    role = forms.ChoiceField(
        label="They may",
        choices=[
            (ChatbotRole.READER, "Ask it, in conversations of their own"),
            (ChatbotRole.EDITOR, "Ask it, and change its settings and library documents"),
        ],
        initial=ChatbotRole.READER,
        widget=forms.RadioSelect,
    )
    documents = forms.BooleanField(
        label="Colleagues may get answers from my documents",
        required=False,
        help_text="Answers then quote passages of your documents, with their titles. Only you can open the documents. "
        "Without it, colleagues get answers from its other sources only.",
    )

    def __init__(self, *args: object, chatbot: Chatbot, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        colleague: forms.ModelChoiceField[Membership] = self.fields["colleague"]  # type: ignore[assignment]
        colleague.queryset = colleagues.list_candidates(chatbot)
        if not chatbot.personal_links.exists():
            self.fields["documents"].help_text += " It reads none of your documents now."
        if chatbot.collaborators.exists():  # then it stands beside the list of them, for all
            del self.fields["documents"]


@never_cache
@require_http_methods(["GET", "POST"])
@member_required
def share_chatbot(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """With whom a chatbot is shared, and a form to share it with one more colleague."""
    chatbot = find_own(request.member, pk)
    form = ShareForm(request.POST if request.method == "POST" else None, chatbot=chatbot)
    if form.is_valid():
        try:
            row = _share(request.member, chatbot, **form.cleaned_data)
        except colleagues.SharingRefused as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, f"Shared with {row.membership.name}, who finds it in the list of chatbots.")
            return redirect("chatbots:share", pk)
    context = {
        "chatbot": chatbot,
        "form": form,
        "collaborators": chatbot.collaborators.select_related("membership__user"),
        "has_candidates": colleagues.list_candidates(chatbot).exists(),
    }
    return render(request, "chatbots/share.html", context, status=422 if form.errors else 200)


@transaction.atomic
def _share(
    owner: Membership, chatbot: Chatbot, *, colleague: Membership, role: str, documents: bool | None = None
) -> Collaborator:
    """Share it, and store first whether colleagues get answers from the owner's documents, if the form asked."""
    if documents is not None:
        revocation.set_document_consent(chatbot, is_given=documents)
    return colleagues.share_with(chatbot=chatbot, owner=owner, colleague=colleague, role=ChatbotRole(role))


@require_POST
@member_required
def consent(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Change whether colleagues get answers from the owner's documents."""
    chatbot = find_own(request.member, pk)
    is_given = request.POST.get("documents") == "on"
    revocation.set_document_consent(chatbot, is_given=is_given)
    told = (
        "Colleagues get answers from your documents."
        if is_given
        else "Colleagues get no more answers from your documents. Those that they have stay in their conversations."
    )
    messages.success(request, f"Saved. {told}")
    return redirect("chatbots:share", pk)


@require_POST
@member_required
def change_colleague(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    row = find(Collaborator.objects.for_owner(request.member), pk)
    if (role := request.POST.get("role")) in SHARED_ROLES:
        colleagues.set_colleague_role(row, ChatbotRole(role))
        may = "may now change it" if role == ChatbotRole.EDITOR else "may now only ask it"
        messages.success(request, f"{row.membership.name} {may}.")
    return redirect("chatbots:share", row.chatbot_id)


@require_POST
@member_required
def end_sharing(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    row = find(Collaborator.objects.for_owner(request.member).select_related("membership__user"), pk)
    colleagues.stop_sharing(row)
    messages.success(request, f"No longer shared with {row.membership.name}.")
    return redirect("chatbots:share", row.chatbot_id)


@require_POST
@member_required
def offer_template(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Offer a chatbot as a template, or end that. An admin may end it for every template of the school."""
    if request.POST.get("offer") == "on":
        colleagues.set_template(find_own(request.member, pk), is_template=True)
        messages.success(request, "Everyone in your school can now make a copy of it.")
        return redirect("chatbots:share", pk)
    template = find_offered(request.member, pk)
    colleagues.set_template(template, is_template=False)
    is_of_another = template.owner_id != request.member.user_id
    messages.success(request, "It is no longer a template. Copies that were made stay.")
    return redirect("chatbots:templates") if is_of_another else redirect("chatbots:share", pk)


@require_GET
@member_required
def templates(request: MemberRequest) -> HttpResponseBase:
    """What the members of the school offer for copying."""
    return render(request, "chatbots/templates.html", {"templates": list_templates(request.member)})


@require_POST
@member_required
def copy_for_member(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A copy that belongs to the member; its settings open."""
    chatbot = find(Chatbot.objects.copyable_by(request.member), pk)
    made = copy_chatbot(chatbot=chatbot, member=request.member)
    own = "" if chatbot.owner_id == request.member.user_id else " Add documents of your own if it needs some."
    messages.success(request, f"This copy of “{chatbot.name}” is yours.{own}")
    return redirect("chatbots:edit", made.pk)


@require_POST
@member_required
def archive(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Fold a chatbot away in the member's own list."""
    chatbot = find(Chatbot.objects.visible_to(request.member), pk)
    set_archived(chatbot, request.member, is_archived=True)
    undo = reverse("chatbots:bring-back", args=[pk])
    messages.success(request, f"“{chatbot.name}” is archived. You find it below the list.", extra_tags=undo)
    return redirect("chatbots:list")


@require_POST
@member_required
def bring_back(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chatbot = find(Chatbot.objects.visible_to(request.member), pk)
    set_archived(chatbot, request.member, is_archived=False)
    messages.success(request, f"“{chatbot.name}” is back in the list.")
    return redirect("chatbots:list")
