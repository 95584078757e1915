"""Practice questions and answers to them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.models import Participant
from learning.api.presenting import present_attempt, present_questions
from learning.api.serializers import (
    AttemptRatingSerializer,
    AttemptSerializer,
    MoreQuestionsSerializer,
    NewAttemptSerializer,
    QuestionChangeSerializer,
    QuestionQuery,
    QuestionSerializer,
    QueuedConceptsSerializer,
)
from learning.api.views import TAGS, PlanView
from learning.models import Attempt, Concept, Question
from learning.practice.answering import answer_question, clean_given, rate_attempt
from learning.questions.review import edit_question, more_questions, set_review
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import make_page_serializer, paginate
from rest.problems import Problem

_PARTS = ("prompt", "options", "targets", "answer", "explanation")


class QuestionList(PlanView):
    @extend_schema(
        operation_id="plan_questions",
        tags=TAGS,
        summary="Practice questions of a plan",
        description="With `answer` and `explanation`, which only the owner of the plan gets.",
        parameters=[QuestionQuery],
        responses=make_page_serializer(QuestionSerializer),
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        query = self.query(QuestionQuery)
        rows = Question.objects.for_member(self.member).filter(concept__plan=self.find_plan(pk))
        for field in ("concept", "review"):
            if value := query.get(field):
                rows = rows.filter(**{field: value})
        return Response(paginate(request, rows, query, present_questions, order=("pk",)))

    @extend_schema(
        operation_id="make_questions",
        tags=TAGS,
        summary="Make more practice questions",
        description="In the background, of one concept or of all. Those that pass the checks are added.",
        request=MoreQuestionsSerializer,
        responses={202: QueuedConceptsSerializer},
    )
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        concepts = Concept.objects.for_member(self.member).filter(plan=self.find_plan(pk))
        if key := self.body(MoreQuestionsSerializer).get("concept"):
            concepts = concepts.filter(pk=key)
            if not concepts.exists():
                words = f"The plan has no concept {key}."
                raise Problem(400, words, errors={"concept": [words]})
        found = list(concepts)
        more_questions(*found)
        return Response(QueuedConceptsSerializer({"concepts": len(found)}).data, status=202)


class QuestionDetail(PlanView):
    etags = True

    @extend_schema(
        operation_id="question",
        tags=TAGS,
        summary="One practice question",
        description="A question of a plan of your own.",
        responses=QuestionSerializer,
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        return add_etag(request, _present(self.find_question(pk)))

    @extend_schema(
        operation_id="change_question",
        tags=TAGS,
        summary="Edit or review a practice question",
        description="An edit approves it. `review` approves or rejects it, or takes that back; a rejected question is "
        "asked nobody.",
        request=QuestionChangeSerializer,
        responses=QuestionSerializer,
    )
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        question = self.find_question(pk)
        must_match(request, _present(question))
        sent = self.body(QuestionChangeSerializer, partial=True)
        review = sent.pop("review", None)
        if sent:
            parts = {name: getattr(question, name) for name in _PARTS} | sent
            edit_question(question=question, **parts)
        if review:
            set_review(question=question, state=review)
        return add_etag(request, _present(self.find_question(pk)))


class Attempts(PlanView):
    refused = "answer"

    @extend_schema(
        operation_id="answer_question",
        tags=TAGS,
        summary="Answer a practice question",
        description="The verdict comes with feedback that cites where to read on. It counts for your progress.",
        request=NewAttemptSerializer,
        responses={201: AttemptSerializer},
    )
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        question = self.find_question(pk)
        given = clean_given(question, self.body(NewAttemptSerializer)["answer"])
        participant = Participant.objects.of(self.member)
        attempt = answer_question(question=question, participant=participant, given=given)
        return Response(present_attempt(attempt), status=201)


class AttemptDetail(PlanView):
    refused = "own_rating"

    @extend_schema(
        operation_id="rate_attempt",
        tags=TAGS,
        summary="Rate your own answer",
        description="Once, for an answer whose verdict is `unsure`. It counts for your progress, and for no grade.",
        request=AttemptRatingSerializer,
        responses=AttemptSerializer,
    )
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        attempt = self.find(Attempt.objects.for_member(self.member).select_related("question"), pk)
        rate_attempt(attempt=attempt, rating=self.body(AttemptRatingSerializer)["own_rating"])
        return Response(present_attempt(attempt))


def _present(question: Question) -> dict[str, object]:
    data: dict[str, Any] = present_questions([question])[0]
    return data
