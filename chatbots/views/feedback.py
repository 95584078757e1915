"""The thumbs up and down under an answer."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from chatbots.conversations import feedback
from chatbots.models import FeedbackVerdict, Message, Reason
from schools.access import MemberRequest, member_required
from schools.http import find


class FeedbackForm(forms.Form):
    verdict = forms.ChoiceField(choices=[*FeedbackVerdict.choices, ("none", "None")])
    reason = forms.ChoiceField(choices=Reason.choices, required=False)
    words = forms.CharField(max_length=500, required=False)


@require_POST
@member_required
def rate_answer(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    finished = Message.objects.for_member(request.member).filter(finished_at__isnull=False)
    message = find(finished.select_related("feedback"), pk)
    form, is_fragment = FeedbackForm(request.POST), bool(request.headers.get("HX-Request"))
    if not form.is_valid():
        context = {"message": message, "form": form, "confirmation": "Not saved."}
        template = "chatbots/_feedback_saved.html" if is_fragment else "chatbots/feedback.html"
        return render(request, template, context, status=422)
    message = _save(message, **form.cleaned_data)
    if is_fragment:
        context = {"message": message, "confirmation": _confirmation(message)}
        return render(request, "chatbots/_feedback_saved.html", context)
    page = reverse("chatbots:chat", args=[message.chat_id])
    return redirect(f"{page}?answer={message.pk}#turn-{message.first_id}")


def _save(message: Message, *, verdict: str, reason: str, words: str) -> Message:
    if verdict == "none":
        feedback.delete_feedback(message)
    else:
        feedback.save_feedback(message, verdict=verdict, reason=reason, words=words)
    return Message.objects.select_related("feedback").get(pk=message.pk)


def _confirmation(message: Message) -> str:
    """The confirmation, also for screen readers."""
    given = getattr(message, "feedback", None)
    if given is None:
        return "Feedback removed."
    if given.verdict == FeedbackVerdict.UP:
        return "Marked as helpful."
    return "Saved. Thank you." if given.reason or given.words else "Marked as not helpful."
