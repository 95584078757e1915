"""Practice questions and answers to them."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.models import Participant
from learning.api import serializers as shapes
from learning.api.views import PlanView, present_attempt, present_questions
from learning.models import Attempt, Question
from learning.practice.answering import answer_question, clean_given, rate_attempt
from learning.questions.review import edit_question, more_questions, set_review
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import make_page_serializer, paginate

_PARTS = ("prompt", "options", "targets", "answer", "explanation")


class QuestionList(PlanView):
    @extend_schema(
        "plan_questions", parameters=[shapes.QuestionQuery], responses=make_page_serializer(shapes.QuestionSerializer)
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Practice questions of a plan. With `answer` and `explanation`, which only the owner of the plan gets."""
        query = self.query(shapes.QuestionQuery)
        rows = Question.objects.for_member(self.member).filter(concept__plan=self.find_plan(pk))
        for field in ("concept", "review"):
            if value := query.get(field):
                rows = rows.filter(**{field: value})
        return Response(paginate(request, rows, query, present_questions, order=("pk",)))

    @extend_schema(
        "make_questions", request=shapes.MoreQuestionsSerializer, responses={202: shapes.QueuedConceptsSerializer}
    )
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Make more practice questions. In the background, of one concept or of all. Those that pass the checks are
        added."""
        plan, key = self.find_plan(pk), self.body(shapes.MoreQuestionsSerializer).get("concept")
        found = self.find_concepts_of(plan.pk, [key], "concept") if key else list(plan.active_concepts())
        more_questions(*found)
        return Response(shapes.QueuedConceptsSerializer({"concepts": len(found)}).data, status=202)


class QuestionDetail(PlanView):
    etags = True

    @extend_schema("question", responses=shapes.QuestionSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One practice question. A question of a plan of your own."""
        return add_etag(request, _present(self.find_question(pk)))

    @extend_schema("change_question", request=shapes.QuestionChangeSerializer, responses=shapes.QuestionSerializer)
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Edit or review a practice question. An edit approves it. `review` approves or rejects it, or takes that back;
        a rejected question is asked nobody."""
        question = self.find_question(pk)
        must_match(request, _present(question))
        sent = self.body(shapes.QuestionChangeSerializer, partial=True)
        review = sent.pop("review", None)
        if sent:
            parts = {name: getattr(question, name) for name in _PARTS} | sent
            edit_question(question=question, **parts)
        if review:
            set_review(question=question, state=review)
        return add_etag(request, _present(self.find_question(pk)))


class Attempts(PlanView):
    refused = "answer"

    @extend_schema("answer_question", request=shapes.NewAttemptSerializer, responses={201: shapes.AttemptSerializer})
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Answer a practice question. The verdict comes with feedback that cites where to read on. It counts for your
        progress."""
        question = self.find_question(pk)
        given = clean_given(question, self.body(shapes.NewAttemptSerializer)["answer"])
        participant = Participant.objects.of(self.member)
        attempt = answer_question(question=question, participant=participant, given=given)
        return Response(present_attempt(attempt), status=201)


class AttemptDetail(PlanView):
    refused = "own_rating"

    @extend_schema("rate_attempt", request=shapes.AttemptRatingSerializer, responses=shapes.AttemptSerializer)
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Rate your own answer. Once, for an answer whose verdict is `unsure`. It counts for your progress, and for no
        grade."""
        attempt = self.find(Attempt.objects.for_member(self.member).select_related("question"), pk)
        rate_attempt(attempt=attempt, rating=self.body(shapes.AttemptRatingSerializer)["own_rating"])
        return Response(present_attempt(attempt))


def _present(question: Question) -> dict[str, object]:
    return dict(present_questions([question])[0])
