"""Edits of a plan's concepts, which can be undone, the last one first; practice questions and answers to them."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from chatbots.models import Participant
from learning.api import serializers as shapes
from learning.api.views import PlanView, prefetch_parts, present_attempt, present_questions
from learning.models import Attempt, Concept, Question
from learning.planning import editing
from learning.planning.editing import EditRefused
from learning.practice.answering import answer_question, clean_given, rate_attempt
from learning.questions.review import edit_question, more_questions, set_review
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import make_page_serializer, paginate
from rest.problems import Problem


class ConceptView(PlanView):
    def present(self, pk: UUID) -> dict[str, object]:
        concept = self.find(prefetch_parts(Concept.objects.for_member(self.member)), pk)
        return dict(shapes.ConceptSerializer(concept).data)

    def respond_new(self, concept: Concept) -> HttpResponseBase:
        return self.respond_created(self.present(concept.pk), "api:concept", concept.pk)


class PlanConcepts(ConceptView):
    @extend_schema("add_concept", request=shapes.NewConceptSerializer, responses={201: shapes.ConceptSerializer})
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Add a concept. At the end of a plan, or after another concept. Its sources and questions follow."""
        plan = self.find_plan(pk)
        sent = self.body(shapes.NewConceptSerializer)
        key = sent.pop("after", None)
        after = self.find_concept_of(plan.pk, key, "after") if key else None
        return self.respond_new(editing.add_concept(plan=plan, after=after, **sent))


class ConceptDetail(ConceptView):
    etags = True

    @extend_schema("concept", responses=shapes.ConceptSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """One concept. A concept of a plan of your own, with its sources and prerequisites."""
        return add_etag(request, self.present(pk))

    @extend_schema("change_concept", request=shapes.ConceptChangeSerializer, responses=shapes.ConceptSerializer)
    @transaction.atomic
    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Rename a concept. Or write another definition. Only the fields you send change."""
        concept = self.find_concept(pk)
        must_match(request, self.present(pk))
        sent = self.body(shapes.ConceptChangeSerializer, partial=True)
        if sent:
            editing.rename_concept(concept=concept, **({"name": concept.name} | sent))
        return add_etag(request, self.present(pk))

    @extend_schema("remove_concept", responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Remove a concept. What required it now requires what it required. `undo` brings all of it back."""
        concept = self.find_concept(pk)
        must_match(request, self.present(pk))
        editing.remove_concept(concept=concept)
        return Response(status=204)


class ConceptPrerequisites(ConceptView):
    etags = True
    refused = "prerequisites"

    @extend_schema("concept_prerequisites", responses=shapes.PrerequisitesSerializer)
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """What is learnt before a concept. The ids of its prerequisites."""
        return add_etag(request, self._prerequisites(pk))

    @extend_schema(
        "set_concept_prerequisites", request=shapes.PrerequisitesSerializer, responses=shapes.PrerequisitesSerializer
    )
    @transaction.atomic
    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Set what is learnt before a concept. Exactly these concepts of the plan from now on. A circle is refused, and
        nothing changes then. Each prerequisite that is added or taken away is an edit of its own for `undo`."""
        concept = self.find_concept(pk)
        must_match(request, self._prerequisites(pk))
        keys = self.body(shapes.PrerequisitesSerializer)["prerequisites"]
        wanted = [self.find_concept_of(concept.plan_id, key, "prerequisites") for key in dict.fromkeys(keys)]
        before = list(concept.prerequisites.filter(removed_at__isnull=True))
        for one in before:
            if one not in wanted:
                editing.remove_prerequisite(concept=concept, requires=one)
        for one in wanted:
            if one not in before:
                editing.add_prerequisite(concept=concept, requires=one)
        return add_etag(request, self._prerequisites(pk))

    def _prerequisites(self, pk: UUID) -> dict[str, object]:
        return dict(shapes.PrerequisitesSerializer({"prerequisites": self.present(pk)["prerequisites"]}).data)


class Merge(ConceptView):
    refused = "into"

    @extend_schema("merge_concept", request=shapes.MergeSerializer, responses=shapes.ConceptSerializer)
    @transaction.atomic
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Merge a concept into another one. The other one gets its name as a synonym, its sources, questions and
        links."""
        concept = self.find_concept(pk)
        into = self.find_concept_of(concept.plan_id, self.body(shapes.MergeSerializer)["into"], "into")
        editing.merge_concepts(concept=concept, into=into)
        return Response(self.present(into.pk))


class Split(ConceptView):
    @extend_schema("split_concept", request=shapes.SplitSerializer, responses={201: shapes.ConceptSerializer})
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Split a concept. The new concept is learnt after this one, and takes copies of some of its sources."""
        concept = self.find_concept(pk)
        return self.respond_new(editing.split_concept(concept=concept, **self.body(shapes.SplitSerializer)))


class Undo(PlanView):
    @extend_schema("undo_edit", request=None, responses={200: shapes.UndoneSerializer, 422: None})
    @idempotent
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Undo the last edit of a plan’s concepts. And then the one before it. Nothing to undo is 422."""
        try:
            words = editing.undo(plan=self.find_plan(pk))
        except EditRefused as reason:
            raise Problem(422, str(reason)) from None
        return Response(shapes.UndoneSerializer({"undone": words}).data)


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
        found = [self.find_concept_of(plan.pk, key, "concept")] if key else list(plan.active_concepts())
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
