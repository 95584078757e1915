"""Study plans: made, read, changed, deleted and exported, their progress, and their tutor, asked as a chatbot is."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.api.asking import ANSWER, STREAMED, Ask
from chatbots.api.serializers import AskSerializer
from chatbots.models import Chatbot, Participant
from learning.api import serializers as shapes
from learning.api.serializers import ExportQuery
from learning.api.views import PlanView, present_plan
from learning.exports.files import export_plan
from learning.models import StudyPlan
from learning.planning import services
from learning.practice.progress import choose_next_concepts, get_progress
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import PageQuery, make_page_serializer, paginate


class PlanList(PlanView):
    @extend_schema(
        "plans",
        tags=PlanView.tags,
        parameters=[PageQuery],
        responses=make_page_serializer(shapes.PlanSummarySerializer),
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Your study plans. Your own study plans in this school without their concepts, the newest first."""
        plans = StudyPlan.objects.for_member(self.member).select_related("chatbot")
        query = self.query(PageQuery)
        return Response(
            paginate(request, plans, query, lambda rows: shapes.PlanSummarySerializer(rows, many=True).data)
        )

    @extend_schema(
        "create_plan",
        request=shapes.NewPlanSerializer,
        responses={
            202: shapes.PlanSerializer,
            404: OpenApiResponse(description="There is no such chatbot that this person may see."),
        },
    )
    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        """Make a study plan. From a topic in words, documents, the library or a chatbot. It is made in the background:
        read it at its `Location` until its `status` is `ready`. Its first concepts can be used before."""
        sent = self.body(shapes.NewPlanSerializer)
        library = sent.pop("library", {})
        documents = {*sent.pop("documents", []), *library.get("documents", [])}
        key = sent.pop("chatbot", None)
        chatbot = self.find(Chatbot.objects.for_member(self.member), key) if key else None
        subject = library.get("subject", "").strip()
        plan = services.create_plan(member=self.member, documents=documents, subject=subject, chatbot=chatbot, **sent)
        return accepted(request, plan)


class PlanDetail(PlanView):
    etags = True

    @extend_schema("plan", responses=shapes.PlanSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One study plan. A plan of your own with its concepts, their sources and prerequisites, and how far it is
        made."""
        return add_etag(request, present_plan(self.find_plan(pk)))

    @extend_schema("change_plan", request=shapes.PlanSettingsSerializer, responses=shapes.PlanSerializer)
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Change a study plan. Only the fields you send; its concepts and questions have addresses of their own."""
        plan = self.find_plan(pk, lock=True)
        must_match(request, present_plan(plan))
        services.update_plan(plan=plan, **self.body(shapes.PlanSettingsSerializer, partial=True))
        return add_etag(request, present_plan(plan))

    @extend_schema("delete_plan", responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Delete a study plan. For good, with its questions, everybody’s progress and the conversations with its tutor.
        Its documents stay."""
        plan = self.find_plan(pk, lock=True)
        must_match(request, present_plan(plan))
        services.delete_plan(plan=plan)
        return Response(status=204)


class StopPlan(PlanView):
    @extend_schema("stop_plan", request=None, responses={202: shapes.PlanSerializer})
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Stop making a plan. What has been made stays. A plan that is not being made stays as it is."""
        return _change(self, request, pk, services.stop_plan)


class Resume(PlanView):
    @extend_schema("resume_plan", request=None, responses={202: shapes.PlanSerializer})
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Go on with a plan. It goes on where it ended: it was stopped, has failed, or lacks sources or questions."""
        return _change(self, request, pk, services.resume_plan)


class Refresh(PlanView):
    @extend_schema("refresh_plan", request=None, responses={202: shapes.QueuedConceptsSerializer})
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Bring a plan up to date. Concepts whose documents have changed get new sources and questions in the
        background. Progress stays, and so does what the teacher edited."""
        number = services.refresh_plan(plan=self.find_plan(pk))
        return Response(shapes.QueuedConceptsSerializer({"concepts": number}).data, status=202)


class ReadProgress(PlanView):
    @extend_schema("plan_progress", responses=shapes.PlanProgressSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Your progress with a plan. By concept: what you know, what is due or weak, and what to practise next. It is
        yours alone."""
        plan = self.find_plan(pk)
        participant = Participant.objects.of(self.member)
        progress = {"concepts": get_progress(plan, participant), "next": choose_next_concepts(plan, participant)}
        return Response(shapes.PlanProgressSerializer(progress).data)


class AskTutor(Ask):
    @extend_schema(
        "ask_tutor",
        tags=PlanView.tags,
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


def _change(view: PlanView, request: Request, pk: UUID, change: Callable[..., object]) -> HttpResponseBase:
    """The plan after a change that goes on in the background."""
    plan = view.find_plan(pk)
    change(plan=plan)
    plan.refresh_from_db()
    return accepted(request, plan)


def accepted(request: Request, plan: StudyPlan) -> HttpResponseBase:
    """The plan, with where it can be followed."""
    where = request.build_absolute_uri(reverse("api:plan", args=[plan.pk]))
    return Response(present_plan(plan), status=202, headers={"Location": where})


class AnyFile(BaseRenderer):
    """Lets a program ask by its Accept header for what the format is. A problem is JSON all the same."""

    media_type = "*/*"
    format = "file"

    def render(self, data: object, *_: object, **__: object) -> bytes:
        return b"" if data is None else JSONRenderer().render(data)


class Export(PlanView):
    renderer_classes = (JSONRenderer, AnyFile)

    @extend_schema(
        "export_plan",
        parameters=[ExportQuery],
        responses={(200, "text/plain"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """The questions of a plan as a file. Those that learners may get, with their sources in words: `gift` for
        Moodle and others, or `anki`, cards as text."""
        return export_plan(self.find_plan(pk), self.query(ExportQuery)["format"])
