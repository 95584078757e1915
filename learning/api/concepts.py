"""Edits of a plan's concepts, which can be undone, the last one first."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from learning.api import serializers as shapes
from learning.api.views import PlanView, prefetch_parts
from learning.models import Concept
from learning.planning import editing
from learning.planning.editing import EditRefused
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
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
        after = self.find_concepts_of(plan.pk, [key], "after")[0] if key else None
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
        wanted = self.find_concepts_of(concept.plan_id, keys, "prerequisites")
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
        (into,) = self.find_concepts_of(concept.plan_id, [self.body(shapes.MergeSerializer)["into"]], "into")
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
