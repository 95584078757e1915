"""One question with its answer: read it, answer it again, stop it, rate it."""

from __future__ import annotations

from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.api.asking import ANSWER, STREAMED, AskingView
from chatbots.api.presenting import present_answer
from chatbots.api.serializers import (
    AgainSerializer,
    AnswerSerializer,
    FeedbackSerializer,
    GivenFeedbackSerializer,
)
from chatbots.conversations import feedback
from chatbots.models import Channel, Message
from chatbots.streaming import jobs
from rest.idempotency import idempotent
from rest.problems import Problem
from rest.views import MemberView

TAGS = ["conversations"]
NOT_AGAIN = (
    "Only the last question of a conversation can be answered again, or one whose answer failed: later questions may "
    "depend on this one."
)
_NOT_YET = "It is being written, or it was deleted at the same moment."
NOT_FINISHED = "This answer is being written. Wait until it is finished, or stop it."


class MessageDetail(MemberView):
    @extend_schema("message", tags=TAGS, responses=AnswerSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One question with its answer. With its citations and sources. An unfinished answer has the text so far."""
        return Response(_present(self, pk))


class AnswerAgain(AskingView):
    @extend_schema(
        operation_id="answer_again",
        tags=TAGS,
        summary="Answer a question again",
        description="The new answer is a message of its own; its `version_of` is the first one. All are kept. If one "
        "is being written already, such as after a repeated request, that one is returned. Only the last "
        f"question of a conversation can be answered again, or one whose answer failed.{STREAMED}",
        request=AgainSerializer,
        responses={
            **ANSWER,
            409: OpenApiResponse(
                description="It has an answer and was followed by a question, or it was deleted at the same moment."
            ),
        },
    )
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        message = self.find(Message.objects.for_member(self.member), pk)
        wanted = self.body(AgainSerializer)
        again = self.again(message, Channel.API)
        if again.is_finished:
            raise Problem(409, NOT_AGAIN)
        return self.follow(request, again, stream=wanted["stream"])


class Stop(MemberView):
    @extend_schema("stop", tags=TAGS, request=None, responses=AnswerSerializer)
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Stop an answer. An unfinished answer ends at once, in whichever process it is written, with the text that its
        readers have; the last words may arrive a moment later. A finished one stays as it is.
        """
        jobs.stop(self.find(Message.objects.for_member(self.member).only("pk"), pk).pk)
        return Response(_present(self, pk))


class MessageFeedback(MemberView):
    @extend_schema("feedback", tags=TAGS, responses=GivenFeedbackSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Your feedback on an answer. Whether it helped, and if not, why. The verdict is null if there is no
        feedback.
        """
        given = getattr(self._message(pk), "feedback", None)
        return Response(GivenFeedbackSerializer(given or _NO_FEEDBACK).data)

    @extend_schema(
        "give_feedback",
        tags=TAGS,
        request=FeedbackSerializer,
        responses={200: GivenFeedbackSerializer, 409: OpenApiResponse(description=_NOT_YET)},
    )
    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Rate an answer. Replaces earlier feedback. The school’s admins see only counts of it."""
        message = self._message(pk)
        given = self.body(FeedbackSerializer)
        if not message.is_finished:
            raise Problem(409, NOT_FINISHED)
        return Response(GivenFeedbackSerializer(feedback.save_feedback(message, **given)).data)

    @extend_schema("take_feedback_back", tags=TAGS, responses={204: None})
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Withdraw your feedback on an answer. If there is no feedback, nothing changes."""
        feedback.delete_feedback(self._message(pk))
        return Response(status=204)

    def _message(self, pk: UUID) -> Message:
        return self.find(Message.objects.for_member(self.member).select_related("feedback"), pk)


_NO_FEEDBACK = {"verdict": None, "reason": "", "words": ""}


def _present(view: MemberView, pk: UUID) -> dict[str, object]:
    return present_answer(view.find(Message.objects.for_member(view.member).prefetch_related("sources"), pk))
