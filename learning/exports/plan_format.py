"""The format of a plan as JSON, version 1. These serializers document it and check a file before it is stored."""

from __future__ import annotations

from collections import Counter
from graphlib import CycleError, TopologicalSorter
from typing import Any

from rest_framework import serializers

from chatbots.citations.markers import cited_numbers
from chatbots.models import Language
from corpus.source_kinds import LONGEST as LONGEST_KIND
from corpus.source_kinds import kinds
from learning.exports.answer_shapes import LONGEST_TEXT, WrongShape, checked_answer
from learning.material import QuestionKind
from learning.models import MOST_CONCEPTS, ReviewState, TutorStyle
from learning.models.question import KINDS
from learning.questions.review import MOST_OPTIONS

FORMAT, VERSION = "lectern-plan", 1

MOST_BYTES = 16 * 1024 * 1024
MOST_SOURCES, MOST_QUESTIONS = 100, 500  # of one concept
MOST_PLAN_SOURCES, MOST_PLAN_QUESTIONS = 3000, 6000
LONGEST_PASSAGE = 60_000
LARGEST_NUMBER = 32_767


class TextField(serializers.CharField):
    """A text that is kept as it is, with its spaces."""

    def __init__(self, **options: Any) -> None:
        kept: dict[str, Any] = {"trim_whitespace": False, "allow_blank": True, "default": ""}
        super().__init__(**kept | options)


class DocumentFileSerializer(serializers.Serializer[Any]):
    """The document of a source, where it is one, in the version that was read."""

    id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=1, max_value=2_000_000_000)


class SourceFileSerializer(serializers.Serializer[Any]):
    """A passage that speaks of the concept, as it was when it was fetched."""

    number = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER, help_text="The n of [n].")
    kind = serializers.CharField(
        max_length=LONGEST_KIND, help_text="Where it was found, such as `personal` or `wikipedia_live`."
    )
    title = TextField(max_length=200, help_text="Of the document or page.")
    document = DocumentFileSerializer(allow_null=True, default=None)
    address = TextField(max_length=2000, help_text="Of a web page; else empty.")
    revision = TextField(max_length=100)
    read_at = serializers.DateTimeField(allow_null=True, default=None)
    section = serializers.ListField(
        child=serializers.CharField(max_length=2000),
        max_length=20,
        default=list,
        help_text="Headings, outermost first.",
    )
    label = TextField(max_length=1000)  # type: ignore[assignment]  # the stubs know an attribute of this name
    file_path = TextField(max_length=1000)
    media_type = TextField(max_length=100)
    page = serializers.IntegerField(min_value=1, max_value=1_000_000, allow_null=True, default=None)
    lines = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2_000_000_000),
        min_length=2,
        max_length=2,
        allow_null=True,
        default=None,
    )
    position = serializers.IntegerField(
        min_value=0, max_value=2_000_000_000, default=0, help_text="Of the passage within the document."
    )
    excerpt = TextField(max_length=LONGEST_PASSAGE, allow_blank=False, required=True, default=serializers.empty)
    text = TextField(max_length=LONGEST_PASSAGE, help_text="The enclosing section; the excerpt if it is empty.")
    recognised = serializers.BooleanField(default=False, help_text="From a scan: it may contain mistakes.")
    current = serializers.BooleanField(default=True, help_text="False if only older questions cite it.")

    def validate_kind(self, kind: str) -> str:
        if kind not in {one.value for one in kinds()}:
            raise serializers.ValidationError(f"There is no kind of source “{kind}” here.")
        return kind


class QuestionFileSerializer(serializers.Serializer[Any]):
    """A practice question. What `answer` has depends on `kind`: see docs/api.md."""

    kind = serializers.ChoiceField(choices=KINDS)
    prompt = serializers.CharField(max_length=2000, trim_whitespace=False)
    options = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False),
        max_length=MOST_OPTIONS,
        default=list,
    )
    targets = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False),
        max_length=MOST_OPTIONS,
        default=list,
    )
    answer = serializers.DictField()
    explanation = TextField(max_length=4000)
    sources = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER),
        min_length=1,
        max_length=MOST_SOURCES,
        help_text="Numbers of the concept’s sources.",
    )
    review = serializers.ChoiceField(choices=ReviewState.choices, default=ReviewState.UNREVIEWED)
    edited = serializers.BooleanField(default=False, help_text="By the teacher.")
    outdated = serializers.BooleanField(default=False, help_text="Its source has changed: it is not asked any more.")
    made_by = TextField(max_length=120, help_text="The language model; empty for rules.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        parts = {name: attrs[name] for name in ("prompt", "options", "targets", "answer")}
        try:
            return attrs | {"answer": checked_answer(QuestionKind(attrs["kind"]), **parts)}
        except WrongShape as reason:
            raise serializers.ValidationError({"answer": [str(reason)]}) from None


class ConceptFileSerializer(serializers.Serializer[Any]):
    """A concept with its sources and questions."""

    id = serializers.CharField(max_length=64, help_text="Different from all others of the file.")
    name = serializers.CharField(max_length=120)
    definition = TextField(max_length=1000)
    definition_source = serializers.IntegerField(
        min_value=1, max_value=LARGEST_NUMBER, allow_null=True, default=None, help_text="Number of its source."
    )
    synonyms = serializers.ListField(child=serializers.CharField(max_length=120), max_length=200, default=list)
    edited = serializers.BooleanField(default=False, help_text="By the teacher.")
    prerequisites = serializers.ListField(
        child=serializers.CharField(max_length=64),
        max_length=MOST_CONCEPTS,
        default=list,
        help_text="Ids of the concepts that are learnt before.",
    )
    sources = SourceFileSerializer(many=True, max_length=MOST_SOURCES, default=list)  # type: ignore[call-arg]
    questions = QuestionFileSerializer(many=True, max_length=MOST_QUESTIONS, default=list)  # type: ignore[call-arg]

    def validate_name(self, name: str) -> str:
        return " ".join(name.split())

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Say what is cited and is not there."""
        numbers = [source["number"] for source in attrs["sources"]]
        if twice := _twice(numbers):
            raise serializers.ValidationError(
                {"sources": [f"Two sources of “{attrs['name']}” have the number {twice}."]}
            )
        if attrs["definition_source"] not in {None, *numbers}:
            raise serializers.ValidationError({"definition_source": ["There is no source of this number."]})
        for question in attrs["questions"]:
            cited = cited_numbers(question["prompt"]) | cited_numbers(question["explanation"])
            if missing := {*question["sources"], *cited} - set(numbers):
                words = f"A question of “{attrs['name']}” cites [{min(missing)}], which is none of its sources."
                raise serializers.ValidationError({"questions": [words]})
        return attrs


class PlanFileSerializer(serializers.Serializer[Any]):
    """A study plan as a file."""

    format = serializers.ChoiceField(choices=[FORMAT])
    version = serializers.IntegerField(help_text=f"{VERSION} today.", min_value=1, max_value=VERSION)
    title = serializers.CharField(max_length=160)
    topic = serializers.CharField(max_length=300, allow_blank=True, default="")
    language = serializers.ChoiceField(choices=Language.choices, default=Language.ENGLISH)
    kinds = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_KIND),
        max_length=20,
        default=list,
        help_text="Kinds of source beyond the school. Those that the school does not allow are dropped.",
    )
    most_concepts = serializers.IntegerField(min_value=1, max_value=MOST_CONCEPTS, default=30)
    tutor_style = serializers.ChoiceField(choices=TutorStyle.choices, default=TutorStyle.HINTS)
    session_minutes = serializers.IntegerField(min_value=1, max_value=60, default=10)
    shows_unreviewed = serializers.BooleanField(default=True)
    made_by = TextField(max_length=120, help_text="The language model; empty without one.")
    concepts = ConceptFileSerializer(
        many=True,
        max_length=MOST_CONCEPTS,  # type: ignore[call-arg]  # of the list
        help_text="In the order of teaching.",
    )

    def validate_concepts(self, concepts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Ids and names once, prerequisites known and without a circle, and not too much in all."""
        if twice := _twice([concept["id"] for concept in concepts]):
            raise serializers.ValidationError(f"Two concepts have the id “{twice}”.")
        if twice := _twice([concept["name"].lower() for concept in concepts]):
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
        for name, most in (("sources", MOST_PLAN_SOURCES), ("questions", MOST_PLAN_QUESTIONS)):
            if sum(len(concept[name]) for concept in concepts) > most:
                raise serializers.ValidationError(f"A plan has at most {most:,} {name}.")
        return concepts


def _twice(values: list[Any]) -> Any:
    """A value that occurs more than once, else None."""
    return next((value for value, number in Counter(values).items() if number > 1), None)
