"""A plan as JSON with its sources, in the format of `plan_format`. What learners did is no part of it."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Prefetch

from learning.exports.plan_format import FORMAT, VERSION
from learning.exports.questions import numbers_of
from learning.models import Concept, ConceptSource, Prerequisite, Question, StudyPlan


def export_json(plan: StudyPlan) -> bytes:
    """The plan as a file that `import_json` reads, in UTF-8."""
    return json.dumps(plan_content(plan), ensure_ascii=False, indent=1).encode(errors="replace")


def plan_content(plan: StudyPlan) -> dict[str, Any]:
    """The plan as plain values of JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": plan.title,
        "topic": plan.topic,
        "language": plan.language,
        "kinds": plan.kinds,
        "most_concepts": plan.most_concepts,
        "tutor_style": plan.tutor_style,
        "session_minutes": plan.session_minutes,
        "shows_unreviewed": plan.shows_unreviewed,
        "made_by": plan.made_by,
        "concepts": [_concept(concept) for concept in _concepts(plan)],
    }


def _concepts(plan: StudyPlan) -> list[Concept]:
    required = Prerequisite.objects.filter(requires__removed_at__isnull=True).order_by("requires__position", "requires")
    links = Prefetch("prerequisite_links", required)
    found = Concept.objects.active().filter(plan=plan).order_by("position", "pk")
    return list(found.prefetch_related("sources", "questions", links))


def _concept(concept: Concept) -> dict[str, Any]:
    questions = list(concept.questions.all())
    cited = {number for question in questions for number in numbers_of(question)} | {concept.definition_source}
    return {
        "id": str(concept.pk),
        "name": concept.name,
        "definition": concept.definition,
        "definition_source": concept.definition_source,
        "synonyms": concept.synonyms,
        "edited": concept.is_edited,
        "prerequisites": [str(link.requires_id) for link in concept.prerequisite_links.all()],
        "sources": [_source(source) for source in concept.sources.all() if source.is_current or source.number in cited],
        "questions": [_question(question) for question in questions],
    }


def _source(source: ConceptSource) -> dict[str, Any]:
    document = {"id": str(source.document_id), "version": source.version} if source.document_id else None
    return {
        "number": source.number,
        "kind": source.kind,
        "title": source.document_title,
        "document": document,
        "address": source.address,
        "revision": source.revision,
        "read_at": source.read_at.isoformat() if source.read_at else None,
        "section": source.heading_path,
        "label": source.label,
        "file_path": source.file_path,
        "media_type": source.media_type,
        "page": source.page,
        "lines": list(source.lines) if source.lines else None,
        "position": source.position,
        "excerpt": source.excerpt,
        "text": source.text,
        "recognised": source.is_recognised,
        "current": source.is_current,
    }


def _question(question: Question) -> dict[str, Any]:
    return {
        "kind": question.kind,
        "prompt": question.prompt,
        "options": question.options,
        "targets": question.targets,
        "answer": question.answer,
        "explanation": question.explanation,
        "sources": question.source_numbers,
        "review": question.review,
        "edited": question.is_edited,
        "outdated": question.is_outdated,
        "made_by": question.made_by,
    }
