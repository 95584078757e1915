"""The format of a plan as JSON, version 1, with its sources. What learners did is no part of it.

The serializers document the format, write it, and check a file before it is stored.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter
from typing import Any

from django.db import models
from django.db.models import Exists, F, OuterRef, Prefetch
from rest_framework import serializers

from corpus.source_kinds import list_kinds
from learning.material import QuestionKind
from learning.models import MAX_CONCEPTS, Concept, ConceptSource, Prerequisite, Question, StudyPlan
from learning.questions.faults import MAX_OPTIONS, find_faults

FORMAT, VERSION = "lectern-plan", 1

MAX_BYTES = 16 * 1024 * 1024
MAX_SOURCES, MAX_QUESTIONS, MAX_PASSAGE_LENGTH = 100, 500, 60_000  # of one concept; characters
MAX_PLAN_SOURCES, MAX_PLAN_QUESTIONS = 3000, 6000


def export_json(plan: StudyPlan) -> bytes:
    """Return the plan as a file that `import_json` reads, in UTF-8."""
    return json.dumps(plan_content(plan), ensure_ascii=False, indent=1).encode(errors="replace")


def plan_content(plan: StudyPlan) -> dict[str, Any]:
    """Return the plan as plain values of JSON."""
    required = Prerequisite.objects.filter(requires__removed_at__isnull=True).order_by("requires__position", "requires")
    parts = (Prefetch("sources", _list_used_sources()), "questions", Prefetch("prerequisite_links", required))
    active = Concept.objects.active().order_by("position", "pk").prefetch_related(*parts)
    concepts: Any = Prefetch("concepts", active)
    row = StudyPlan.objects.prefetch_related(concepts).get(pk=plan.pk)
    row.format, row.version = FORMAT, VERSION  # type: ignore[attr-defined]
    return dict(PlanFileSerializer(row).data)


def _list_used_sources() -> models.QuerySet[ConceptSource]:
    """Return the sources without old ones that nothing cites any more."""
    cites = Question.objects.filter(concept=OuterRef("concept"), source_numbers__contains=[OuterRef("number")])
    is_used = models.Q(is_current=True) | models.Q(number=F("concept__definition_source")) | Exists(cites)
    return ConceptSource.objects.filter(is_used)


class _VerbatimField(serializers.CharField):
    """A text that keeps the spaces around it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False} | options)


class _VerbatimSerializer(serializers.ModelSerializer[Any]):
    serializer_field_mapping = serializers.ModelSerializer.serializer_field_mapping | {
        models.CharField: _VerbatimField,
        models.TextField: _VerbatimField,
    }


class DocumentFileSerializer(serializers.Serializer[Any]):
    """The document of a source, where it is one, in the version that was read."""

    id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=1, max_value=2_000_000_000)

    def get_attribute(self, instance: ConceptSource) -> Any:
        return {"id": instance.document_id, "version": instance.version} if instance.document_id else None


class SourceFileSerializer(_VerbatimSerializer):
    """A passage that speaks of the concept, as it was when it was fetched."""

    document = DocumentFileSerializer(allow_null=True, default=None)
    lines = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2_000_000_000),
        min_length=2,
        max_length=2,
        allow_null=True,
        default=None,
    )
    section = serializers.ListField(
        source="heading_path", child=_VerbatimField(max_length=2000), max_length=20, default=list
    )

    class Meta:
        model = ConceptSource
        fields = (
            *("number", "kind", "title", "document", "address", "revision", "read_at", "section", "label", "file_path"),
            *("media_type", "page", "lines", "position", "excerpt", "text", "recognised", "current"),
        )
        extra_kwargs = {
            "number": {"min_value": 1},
            "title": {"source": "document_title", "required": False, "allow_blank": True},
            "label": {"max_length": 1000},
            "file_path": {"max_length": 1000},
            "excerpt": {"max_length": MAX_PASSAGE_LENGTH},
            "text": {
                "required": False,
                "allow_blank": True,
                "max_length": MAX_PASSAGE_LENGTH,
                "help_text": "The section; the excerpt if it is empty.",
            },
            "recognised": {"source": "is_recognised"},
            "current": {"source": "is_current"},
        }
        validators: tuple[Any, ...] = ()

    def validate_kind(self, kind: str) -> str:
        if kind not in {one.value for one in list_kinds()}:
            raise serializers.ValidationError(f"There is no kind of source “{kind}” here.")
        return kind


class QuestionFileSerializer(_VerbatimSerializer):
    """A practice question. What `answer` has depends on `kind`: see docs/api.md."""

    answer = serializers.DictField()

    class Meta:
        model = Question
        fields = (
            *("kind", "prompt", "options", "targets", "answer", "explanation", "sources", "review"),
            *("edited", "outdated", "made_by"),
        )
        extra_kwargs = {
            "options": {"max_length": MAX_OPTIONS},
            "targets": {"max_length": MAX_OPTIONS},
            "sources": {
                "source": "source_numbers",
                "min_length": 1,
                "max_length": MAX_SOURCES,
                "help_text": "Numbers of the concept’s sources.",
            },
            "edited": {"source": "is_edited"},
            "outdated": {"source": "is_outdated"},
        }


class _PrerequisitesField(serializers.ListField):
    child = serializers.CharField(max_length=64)

    def get_attribute(self, instance: Concept) -> Any:
        return [link.requires_id for link in instance.prerequisite_links.all()]


class ConceptFileSerializer(serializers.ModelSerializer[Concept]):
    """A concept with its sources and questions."""

    id = serializers.CharField(max_length=64, help_text="Different from all others of the file.")
    prerequisites = _PrerequisitesField(
        max_length=MAX_CONCEPTS, default=list, help_text="Ids of the concepts that are learnt before."
    )
    sources = SourceFileSerializer(many=True, max_length=MAX_SOURCES, default=list)  # type: ignore[call-arg]
    questions = QuestionFileSerializer(many=True, max_length=MAX_QUESTIONS, default=list)  # type: ignore[call-arg]

    class Meta:
        model = Concept
        fields = (
            *("id", "name", "definition", "definition_source", "synonyms", "edited", "prerequisites"),
            *("sources", "questions"),
        )
        extra_kwargs = {"edited": {"source": "is_edited"}, "synonyms": {"max_length": 200}}
        validators: tuple[Any, ...] = ()

    def validate_name(self, name: str) -> str:
        return " ".join(name.split())

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that each source is there once, and each question can be asked."""
        numbers = [source["number"] for source in attrs["sources"]]
        if twice := _find_twice(numbers):
            words = f"Two sources of “{attrs['name']}” have the number {twice}."
            raise serializers.ValidationError({"sources": [words]})
        if attrs.get("definition_source") not in {None, *numbers}:
            raise serializers.ValidationError({"definition_source": ["There is no source of this number."]})
        for place, question in enumerate(attrs["questions"]):
            if reasons := _find_reasons(question, numbers):
                raise serializers.ValidationError({"questions": {str(place): reasons}})
        return attrs


class PlanFileSerializer(serializers.ModelSerializer[StudyPlan]):
    """A study plan as a file."""

    format = serializers.ChoiceField(choices=[FORMAT])
    version = serializers.IntegerField(help_text=f"{VERSION} today.", min_value=1, max_value=VERSION)
    concepts = ConceptFileSerializer(
        many=True,
        max_length=MAX_CONCEPTS,  # type: ignore[call-arg]  # of the list
        help_text="In the order of teaching.",
    )

    class Meta:
        model = StudyPlan
        fields = (
            *("format", "version", "title", "topic", "language", "kinds", "most_concepts", "tutor_style"),
            *("session_minutes", "shows_unreviewed", "made_by", "concepts"),
        )
        extra_kwargs = {
            "kinds": {
                "max_length": 20,
                "help_text": "Sources beyond the school. Those that the school does not allow are dropped.",
            }
        }

    def validate_concepts(self, concepts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Check that ids and names are there once, prerequisites are known, and there is not too much in all."""
        if twice := _find_twice([concept["id"] for concept in concepts]):
            raise serializers.ValidationError(f"Two concepts have the id “{twice}”.")
        if twice := _find_twice([concept["name"].lower() for concept in concepts]):
            raise serializers.ValidationError(f"Two concepts have the name “{twice}”.")
        names = {concept["id"]: concept["name"] for concept in concepts}
        for concept in concepts:
            if unknown := set(concept["prerequisites"]) - set(names):
                words = f"“{concept['name']}” requires “{min(unknown)}”, which is the id of no concept."
                raise serializers.ValidationError(words)
        try:
            TopologicalSorter({concept["id"]: concept["prerequisites"] for concept in concepts}).prepare()
        except CycleError as error:
            circle = ", ".join(f"“{names[key]}”" for key in error.args[1][:-1])
            raise serializers.ValidationError(f"Prerequisites form a circle: {circle}.") from None
        for name, most in (("sources", MAX_PLAN_SOURCES), ("questions", MAX_PLAN_QUESTIONS)):
            if sum(len(concept[name]) for concept in concepts) > most:
                raise serializers.ValidationError(f"A plan has at most {most:,} {name}.")
        return concepts


def _find_reasons(question: dict[str, Any], numbers: Collection[int]) -> dict[str, list[str]]:
    """Return why a question cannot be asked, by field."""
    parts = {name: question[name] for name in ("prompt", "explanation", "answer")}
    parts |= {name: question.get(name, []) for name in ("options", "targets")}
    reasons = find_faults(QuestionKind(question["kind"]), **parts, sources=numbers)
    if unknown := set(question["source_numbers"]) - set(numbers):
        reasons["sources"] = f"There is no source [{min(unknown)}]."
    return {name: [words] for name, words in reasons.items()}


def _find_twice(values: list[Any]) -> Any:
    """Return a value that occurs more than once, else None."""
    return next((value for value, number in Counter(values).items() if number > 1), None)
