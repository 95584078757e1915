"""The tutor of a plan: asked as a chatbot is."""

from __future__ import annotations

from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from chatbots.api.asking import ANSWER, STREAMED, Ask
from chatbots.api.serializers import AskSerializer
from chatbots.models import Chatbot
from learning.api.views import TAGS
from learning.models import StudyPlan
from rest.idempotency import idempotent


class AskTutor(Ask):
    @extend_schema(
        operation_id="ask_tutor",
        tags=TAGS,
        summary="Ask the tutor of a plan",
        description="It answers from the sources of the plan’s concepts, those of the question first, with checked "
        "citations, or refuses. Whether it gives hints, steps or answers is a setting of the plan. Without `chat_id` a "
        f"conversation begins.{STREAMED}",
        request=AskSerializer,
        responses=ANSWER,
    )
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        plan = self.find(StudyPlan.objects.for_member(self.member), pk)
        tutors = Chatbot.objects.askable_by(self.member).select_related("school")
        return self.ask(request, self.find(tutors, plan.tutor_id))
