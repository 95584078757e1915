"""Read what the serializers of plans, concepts, questions and attempts show beside the fields of the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Prefetch, QuerySet

from learning.api.serializers import AttemptSerializer, PlanSerializer, QuestionSerializer
from learning.exports.questions import list_source_numbers
from learning.models import Attempt, Concept, ConceptSource, Question, StudyPlan
from learning.planning.editing import last_edit
from learning.practice.shown import load_sources


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
    rows: list[Any] = list(questions)
    sources = load_sources(rows)
    for row in rows:
        cited = [sources.get((row.concept_id, number)) for number in list_source_numbers(row)]
        row.cited_sources = [source for source in cited if source]
    return QuestionSerializer(rows, many=True).data


def present_attempt(attempt: Attempt) -> object:
    cited = ConceptSource.objects.filter(concept=attempt.question.concept_id, number__in=attempt.cited)
    attempt.cited_sources = cited.order_by("number")  # type: ignore[attr-defined]
    return AttemptSerializer(attempt).data
