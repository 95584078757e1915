"""What the pages of a conversation show of the plan that its tutor belongs to."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chatbots.models import Chat
from learning.models import StudyPlan
from learning.tutoring.source import offered_question
from schools.access import MemberRequest, member_required
from schools.http import find


@require_GET
@member_required
def plan_of_tutor(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The plan of the tutor with this id."""
    return redirect("learning:plan", get_object_or_404(StudyPlan.objects.for_member(request.member), tutor=pk).pk)


@never_cache
@require_GET
@member_required
def offer_practice(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A practice question of the concept that a conversation with a tutor was last about; empty if there is none."""
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    plan = StudyPlan.objects.for_member(request.member).filter(tutor=chat.chatbot_id).first()
    question = offered_question(plan, chat) if plan else None
    if question is None:
        return HttpResponse()
    return render(request, "learning/_offer.html", {"plan": plan, "question": question})
