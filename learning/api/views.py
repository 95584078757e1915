"""The base of the views: how they reach plans, what they show of them, and how refusals become problems."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from rest_framework.response import Response

from learning.api.serializers import AttemptSerializer, PlanSerializer, QuestionSerializer
from learning.material import ValuesRefused
from learning.models import Attempt, Concept, ConceptSource, Question, StudyPlan
from learning.planning.editing import EditRefused, last_edit
from learning.practice.answering import AnswerRefused
from learning.practice.shown import load_shown_questions
from rest.problems import Problem
from rest.views import MemberView


class PlanView(MemberView):
    """A route about a plan, a concept or a question of the member; 404 for those of others.

    What a service refuses is a problem, by field where it says so, else under `refused`.
    """

    refused: ClassVar[str] = "name"
    tags: ClassVar[list[str]] = ["learning"]

    def handle_exception(self, exc: Exception) -> Response:
        match exc:
            case ValuesRefused():
                errors = {_FIELDS.get(field, field): [words] for field, words in exc.reasons.items()}
                exc = Problem(400, str(exc), errors=errors)
            case EditRefused() | AnswerRefused():
                exc = Problem(400, str(exc), errors={self.refused: [str(exc)]})
        return super().handle_exception(exc)

    def find_plan(self, pk: UUID, *, lock: bool = False) -> StudyPlan:
        plans = StudyPlan.objects.for_member(self.member)
        plans = plans.select_for_update(no_key=True, of=("self",)) if lock else plans
        return self.find(plans.select_related("tutor", "school"), pk)

    def find_concept(self, pk: UUID) -> Concept:
        return self.find(Concept.objects.for_member(self.member).select_related("plan"), pk)

    def find_concepts_of(self, plan: UUID, keys: Collection[UUID], field: str) -> list[Concept]:
        """Return concepts of a plan that are named in a field. Raises Problem with all ids that the plan lacks."""
        found = Concept.objects.for_member(self.member).filter(plan=plan).in_bulk(keys)
        if words := [f"The plan has no concept {key}." for key in dict.fromkeys(keys) if key not in found]:
            raise Problem(400, " ".join(words), errors={field: words})
        return list(found.values())

    def find_question(self, pk: UUID) -> Question:
        questions = Question.objects.for_member(self.member)
        return self.find(questions.select_related("concept__plan__school"), pk)


_FIELDS = {"": "request", "subject": "library.subject"}


def present_plan(plan: StudyPlan) -> Any:
    """Return a plan with its concepts, in the order of teaching."""
    edit = last_edit(plan)
    plan.shown_concepts = prefetch_parts(plan.active_concepts().order_by("position", "pk"))  # type: ignore[attr-defined]
    plan.last_edit = edit.words if edit else ""  # type: ignore[attr-defined]
    return PlanSerializer(plan).data


def prefetch_parts(concepts: QuerySet[Concept]) -> QuerySet[Concept]:
    """Return the concepts with what `ConceptSerializer` shows of each."""
    required: Any = Prefetch(
        "prerequisites", Concept.objects.active().only("pk").order_by("position", "pk"), to_attr="required"
    )
    sources = ConceptSource.objects.current().defer("text").order_by("number")
    current: Any = Prefetch("sources", sources, to_attr="current_sources")
    return concepts.prefetch_related(current, required)


def present_questions(questions: Iterable[Question]) -> Any:
    rows = load_shown_questions(questions)
    for row in rows:
        row.question.cited_sources = row.sources  # type: ignore[attr-defined]
    return QuestionSerializer([row.question for row in rows], many=True).data


def present_attempt(attempt: Attempt) -> object:
    cited = ConceptSource.objects.filter(concept=attempt.question.concept_id, number__in=attempt.cited)
    attempt.cited_sources = cited.order_by("number")  # type: ignore[attr-defined]
    return AttemptSerializer(attempt).data
