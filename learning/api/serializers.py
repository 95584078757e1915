"""Serializers of study plans."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from chatbots.api.presenting import present_place
from chatbots.api.serializers import SOURCES, PlaceSerializer
from learning.material import MAX_DEFINITION_LENGTH, MAX_NAME_LENGTH, QuestionKind, Verdict
from learning.models import MAX_CONCEPTS, ConceptSource, PlanStage, ReviewState, StudyPlan
from learning.models.progress import RATINGS
from learning.practice.progress import LearningState
from learning.questions.faults import is_storable
from rest.pagination import PageQuery


class AnswerField(serializers.JSONField):
    def to_internal_value(self, data: Any) -> Any:
        found = super().to_internal_value(data)
        if not is_storable(found):
            raise serializers.ValidationError("This is no answer to any kind of question.")
        return found


class KeysField(serializers.ListField):
    child = serializers.UUIDField()

    def to_representation(self, data: Any) -> list[Any]:
        return super().to_representation([row.pk for row in data])


class _StoredSourceSerializer(PlaceSerializer):
    def to_representation(self, instance: ConceptSource) -> dict[str, Any]:
        parts = {"id": instance.pk, "number": instance.number, "source": instance.kind, "excerpt": instance.excerpt}
        return super().to_representation(parts | present_place(instance))


class ConceptSourceSerializer(_StoredSourceSerializer):
    """A passage about a concept, as it was when it was fetched."""

    id = serializers.UUIDField()
    number = serializers.IntegerField(help_text="The n of [n].")
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the stubs know an attribute of this name
        choices=SOURCES, help_text="Where it was found."
    )
    excerpt = serializers.CharField()


class ConceptSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    plan_id = serializers.UUIDField()
    name = serializers.CharField()
    definition = serializers.CharField()
    definition_source = serializers.IntegerField(
        allow_null=True, help_text="Number of its source; null if the teacher wrote it."
    )
    synonyms = serializers.ListField(child=serializers.CharField())
    sources = ConceptSourceSerializer(many=True, source="current_sources")
    prerequisites = KeysField(source="required", help_text="Ids of the concepts that are learnt before.")
    edited = serializers.BooleanField(source="is_edited", help_text="By the teacher: an update keeps it.")
    outdated = serializers.BooleanField(source="is_outdated", help_text="Its document has changed; see `refresh`.")


class PlanSummarySerializer(serializers.ModelSerializer[StudyPlan]):
    chatbot_id = serializers.UUIDField(source="kept_chatbot.pk", allow_null=True, help_text="Its sources are read.")
    stage = serializers.ChoiceField(
        source="pending_stage",
        choices=PlanStage.choices,
        allow_blank=True,
        help_text="What is done just now; empty if nothing is.",
    )
    progress = serializers.FloatField(source="share_done", help_text="Of the stage, from 0 to 1.")
    notices = serializers.ListField(child=serializers.CharField(), help_text="What could not be read.")

    class Meta:
        model = StudyPlan
        fields = (
            *("id", "title", "topic", "language", "chatbot_id", "kinds", "most_concepts", "tutor_style"),
            *("session_minutes", "shows_unreviewed", "status", "stage", "progress", "failure", "notices", "made_by"),
            *("created_at", "updated_at"),
        )
        read_only_fields = fields


class PlanSerializer(PlanSummarySerializer):
    notices = serializers.ListField(
        source="shown_notices",
        child=serializers.CharField(),
        help_text="What could not be read, and what would make a poor plan better.",
    )
    suggestions = serializers.ListField(
        child=serializers.CharField(), help_text="Terms that may be concepts, where the author marked few."
    )
    concepts = ConceptSerializer(many=True, source="shown_concepts", help_text="In the order of teaching.")
    last_edit = serializers.CharField(help_text="The edit of the concepts that `undo` would undo; empty if none.")

    class Meta(PlanSummarySerializer.Meta):
        fields = (*PlanSummarySerializer.Meta.fields, "suggestions", "concepts", "last_edit")  # type: ignore[assignment]


class PlanSettingsSerializer(serializers.ModelSerializer[StudyPlan]):
    """What can be changed later. What may be left out has a default, and the limits are those of the plan."""

    class Meta:
        model = StudyPlan
        fields: tuple[str, ...] = (
            *("title", "kinds", "most_concepts", "tutor_style", "session_minutes", "shows_unreviewed"),
        )
        extra_kwargs = {"title": {"error_messages": {"blank": "Please give it a title."}}}


class LibrarySerializer(serializers.Serializer[object]):
    """What of the school's library a plan is made from."""

    subject = serializers.CharField(max_length=60, required=False, allow_blank=True, help_text="All of this subject.")
    documents = serializers.ListField(child=serializers.UUIDField(), max_length=500, required=False)


class NewPlanSerializer(PlanSettingsSerializer):
    documents = serializers.ListField(
        child=serializers.UUIDField(), max_length=500, required=False, help_text="Ids of documents of your own."
    )
    library = LibrarySerializer(required=False)
    chatbot = serializers.UUIDField(required=False, allow_null=True, help_text="Of yours, for its sources.")

    class Meta(PlanSettingsSerializer.Meta):
        fields = (*PlanSettingsSerializer.Meta.fields, "topic", "language", "documents", "library", "chatbot")


class ConceptChangeSerializer(serializers.Serializer[object]):
    name = serializers.CharField(max_length=MAX_NAME_LENGTH, error_messages={"blank": "Please give it a name."})
    definition = serializers.CharField(
        max_length=MAX_DEFINITION_LENGTH,
        allow_blank=True,
        required=False,
        help_text="One sentence. A definition that you write yourself cites no source.",
    )


class NewConceptSerializer(ConceptChangeSerializer):
    after = serializers.UUIDField(
        required=False, allow_null=True, help_text="It follows this one; else it is the last."
    )


class PrerequisitesSerializer(serializers.Serializer[object]):
    prerequisites = serializers.ListField(child=serializers.UUIDField(), max_length=MAX_CONCEPTS)


class MergeSerializer(serializers.Serializer[object]):
    into = serializers.UUIDField(help_text="Another concept of the plan.")


class SplitSerializer(serializers.Serializer[object]):
    name = serializers.CharField(max_length=MAX_NAME_LENGTH, error_messages={"blank": "Please give it a name."})
    sources = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=32_767),
        max_length=100,
        required=False,
        help_text="Numbers of the sources that it takes copies of.",
    )


class UndoneSerializer(serializers.Serializer[object]):
    undone = serializers.CharField(help_text="The edit, in words.")


class QuestionQuery(PageQuery):
    concept = serializers.UUIDField(required=False, help_text="Only questions of this concept.")
    review = serializers.ChoiceField(choices=ReviewState.choices, required=False)


class QuestionSerializer(serializers.Serializer[object]):
    """A practice question with its answer, for the owner of the plan."""

    id = serializers.UUIDField()
    concept = serializers.UUIDField(source="concept_id", help_text="Its id.")
    kind = serializers.ChoiceField(choices=QuestionKind.choices)
    prompt = serializers.CharField(help_text="It may contain [n]. The gap of a cloze is `____`.")
    options = serializers.ListField(child=serializers.CharField())
    targets = serializers.ListField(child=serializers.CharField(), help_text="Of `match`, for its options.")
    sources = ConceptSourceSerializer(many=True, source="cited_sources", help_text="Those that it cites.")
    review = serializers.ChoiceField(choices=ReviewState.choices)
    answer = serializers.DictField(
        help_text="By kind: `single` {correct: index}, `several` {correct: [indexes]}, `cloze` {accepted: [words]}, "
        "`truth` {value, reason}, `number` {value, unit, tolerance: a share}, `order` {order: [indexes]}, "
        "`match` {pairs: [index of the target of each option]}, `short` {reference}."
    )
    explanation = serializers.CharField(help_text="It cites with [n].")
    edited = serializers.BooleanField(source="is_edited", help_text="By the teacher.")
    outdated = serializers.BooleanField(source="is_outdated", help_text="Its source has changed: nobody is asked it.")
    made_by = serializers.CharField(help_text="The language model; empty for rules.")


class QuestionChangeSerializer(serializers.Serializer[object]):
    prompt = serializers.CharField(required=False)
    options = serializers.ListField(child=serializers.CharField(allow_blank=True), max_length=100, required=False)
    targets = serializers.ListField(child=serializers.CharField(allow_blank=True), max_length=100, required=False)
    answer = serializers.DictField(required=False, help_text="As it is shown.")
    explanation = serializers.CharField(required=False, help_text="It cites a source with [n].")
    review = serializers.ChoiceField(
        choices=ReviewState.choices,
        required=False,
        help_text="An edit approves the question unless this says otherwise.",
    )


class MoreQuestionsSerializer(serializers.Serializer[object]):
    concept = serializers.UUIDField(required=False, allow_null=True, help_text="Without it, about all concepts.")


class QueuedConceptsSerializer(serializers.Serializer[object]):
    concepts = serializers.IntegerField(help_text="For how many concepts something will be made.")


class NewAttemptSerializer(serializers.Serializer[object]):
    answer = AnswerField(
        help_text="By kind: an index, a list of indexes, true or false, a number with its unit, or a text. `order`: "
        "the indexes of the options in order; `match`: the index of the target of each option."
    )


class AttemptCitationSerializer(_StoredSourceSerializer):
    """A source that the feedback cites: where to read on."""

    number = serializers.IntegerField(help_text="The n of [n].")
    source = serializers.ChoiceField(choices=SOURCES)  # type: ignore[assignment]  # as above


class AttemptSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    question = serializers.UUIDField(source="question_id", help_text="Its id.")
    answer = AnswerField(source="given", help_text="As it was understood.")
    verdict = serializers.ChoiceField(
        choices=Verdict.choices,
        help_text=f"`{Verdict.UNSURE.value}`: compare your answer with the model answer and rate it.",
    )
    own_rating = serializers.ChoiceField(choices=RATINGS, allow_blank=True, help_text="Of an unsure one.")
    share = serializers.FloatField(help_text="The right part, from 0 to 1.")
    feedback = serializers.CharField(help_text="What was right, what is missing and where to read on, with [n].")
    citations = AttemptCitationSerializer(many=True, source="cited_sources")
    answered_at = serializers.DateTimeField()


class AttemptRatingSerializer(serializers.Serializer[object]):
    own_rating = serializers.ChoiceField(choices=RATINGS)


class ConceptProgressSerializer(serializers.Serializer[object]):
    concept = serializers.UUIDField(source="concept.pk", help_text="Its id.")
    name = serializers.CharField(source="concept.name")
    state = serializers.ChoiceField(choices=[one.value for one in LearningState])
    attempts = serializers.IntegerField()
    right = serializers.IntegerField()
    retrievability = serializers.FloatField(
        allow_null=True, help_text="Probability that you recall it now, from 0 to 1; null before the first answer."
    )
    due_at = serializers.DateTimeField(allow_null=True, help_text="When to repeat it; null before the first answer.")
    ready = serializers.BooleanField(help_text="Its prerequisites are known.")
    needs = KeysField(help_text="Ids of prerequisites that are not known yet.")


class PlanProgressSerializer(serializers.Serializer[object]):
    concepts = ConceptProgressSerializer(many=True, help_text="In the order of teaching.")
    next = KeysField(help_text="Ids of what to practise, the first first.")


class ExportQuery(serializers.Serializer[object]):
    format = serializers.ChoiceField(choices=["gift", "anki"], default="gift")
