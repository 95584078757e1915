"""Plans, concepts, questions and attempts as plain values for the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet

from chatbots.api.presenting import place_of
from chatbots.models import Participant
from learning.exports.questions import numbers_of
from learning.models import Attempt, Concept, ConceptSource, PlanStatus, Prerequisite, Question, StudyPlan
from learning.planning.editing import last_edit
from learning.practice.progress import ConceptState, progress_of, whats_next


def plan_summary(plan: StudyPlan) -> dict[str, Any]:
    """A plan without its concepts."""
    same = ("title", "topic", "language", "kinds", "most_concepts", "tutor_style", "session_minutes")
    return {
        "id": plan.pk,
        **{name: getattr(plan, name) for name in same},
        "chatbot_id": plan.kept_chatbot.pk if plan.kept_chatbot else None,
        "shows_unreviewed": plan.shows_unreviewed,
        "status": plan.status,
        "stage": plan.stage if plan.is_pending else "",
        "progress": _share_done(plan),
        "failure": plan.failure,
        "notices": plan.notices,
        "made_by": plan.made_by,
        "created_at": plan.created_at,
        "updated_at": plan.updated_at,
    }


def plan_of(plan: StudyPlan) -> dict[str, Any]:
    """A plan with its concepts, in the order of teaching."""
    concepts = with_parts(Concept.objects.active().filter(plan=plan).order_by("position", "pk"))
    edit = last_edit(plan)
    return plan_summary(plan) | {
        "concepts": [concept_of(concept) for concept in concepts],
        "last_edit": edit.words if edit else "",
    }


def with_parts(concepts: QuerySet[Concept]) -> QuerySet[Concept]:
    """The concepts with what `concept_of` shows of each."""
    required = Prerequisite.objects.filter(requires__removed_at__isnull=True).order_by("requires__position", "requires")
    sources = ConceptSource.objects.current().defer("text").order_by("number")
    current: Any = Prefetch("sources", sources, to_attr="current_sources")
    return concepts.prefetch_related(current, Prefetch("prerequisite_links", required))


def concept_of(concept: Concept) -> dict[str, Any]:
    """A concept that was read by `with_parts`."""
    sources: list[ConceptSource] = concept.current_sources  # type: ignore[attr-defined]
    return {
        "id": concept.pk,
        "plan_id": concept.plan_id,
        "name": concept.name,
        "definition": concept.definition,
        "definition_source": concept.definition_source,
        "synonyms": concept.synonyms,
        "sources": [source_of(source) for source in sources],
        "prerequisites": [link.requires_id for link in concept.prerequisite_links.all()],
        "edited": concept.is_edited,
        "outdated": concept.is_outdated,
    }


def source_of(source: ConceptSource) -> dict[str, Any]:
    """A stored source of a concept."""
    return {
        "id": source.pk,
        "number": source.number,
        "source": source.kind,
        **place_of(source),
        "excerpt": source.excerpt,
    }


def questions_of(questions: Iterable[Question], *, is_owner: bool) -> list[dict[str, Any]]:
    """Questions with the sources that they cite; with their answers only for the owner of the plan."""
    rows = list(questions)
    found = ConceptSource.objects.filter(concept__in={row.concept_id for row in rows}).defer("text")
    sources = {(source.concept_id, source.number): source for source in found}
    return [_question(row, sources, is_owner=is_owner) for row in rows]


def attempt_of(attempt: Attempt) -> dict[str, Any]:
    """An attempt with the sources that its feedback cites."""
    cited = ConceptSource.objects.filter(concept=attempt.question.concept_id, number__in=attempt.cited)
    return {
        "id": attempt.pk,
        "question": attempt.question_id,
        "answer": attempt.given,
        "verdict": attempt.verdict,
        "own_rating": attempt.own_rating,
        "share": attempt.share,
        "feedback": attempt.feedback,
        "citations": [
            {"number": source.number, "source": source.kind, **place_of(source)} for source in cited.order_by("number")
        ],
        "answered_at": attempt.answered_at,
    }


def progress_with(plan: StudyPlan, participant: Participant) -> dict[str, Any]:
    """The progress of a learner with a plan, and what to practise next."""
    return {
        "concepts": [_state(state) for state in progress_of(plan, participant)],
        "next": [concept.pk for concept in whats_next(plan, participant)],
    }


def _question(
    question: Question, sources: Mapping[tuple[UUID, int], ConceptSource], *, is_owner: bool
) -> dict[str, Any]:
    cited = [sources.get((question.concept_id, number)) for number in numbers_of(question)]
    shown = {
        "id": question.pk,
        "concept": question.concept_id,
        "kind": question.kind,
        "prompt": question.prompt,
        "options": question.options,
        "targets": question.targets,
        "sources": [source_of(source) for source in cited if source],
        "review": question.review,
    }
    if not is_owner:
        return shown
    return shown | {
        "answer": question.answer,
        "explanation": question.explanation,
        "edited": question.is_edited,
        "outdated": question.is_outdated,
        "made_by": question.made_by,
    }


def _state(state: ConceptState) -> dict[str, Any]:
    return {
        "concept": state.concept.pk,
        "name": state.concept.name,
        "state": state.state,
        "attempts": state.attempts,
        "right": state.right,
        "retrievability": state.retrievability,
        "due_at": state.due_at,
        "ready": state.ready,
        "needs": [concept.pk for concept in state.needs],
    }


def _share_done(plan: StudyPlan) -> float:
    if plan.status == PlanStatus.READY:
        return 1.0
    return min(plan.progress_done / plan.progress_total, 1.0) if plan.progress_total else 0.0
