"""Serializers of what a chatbot may read."""

from __future__ import annotations

from rest_framework import serializers

from corpus.source_kinds import Participation, list_document_kinds, list_searchable_kinds

MODES_OF_KINDS = {
    Participation.OFF: "off",
    Participation.FILLS_IN: "fill",
    Participation.SHARES: "share",
}


class KindSerializer(serializers.Serializer[object]):
    """How a kind of source without documents takes part."""

    mode = serializers.ChoiceField(
        choices=list(MODES_OF_KINDS.values()),
        help_text="`fill` gets only the places that the others leave empty; `share` has places of its own.",
    )
    weight = serializers.IntegerField(
        min_value=0, max_value=100, default=0, help_text="Percent of the places. It counts only with `share`."
    )
    allowed = serializers.BooleanField(
        read_only=True, help_text="Whether the school allows it. What it withdraws keeps its setting and is not used."
    )


class LinkedSerializer(serializers.Serializer[object]):
    """What a chatbot may read: the ids of its documents, and the kinds of source that have none."""

    personal = serializers.ListField(child=serializers.UUIDField(), required=False, help_text="Personal documents.")
    school = serializers.ListField(
        child=serializers.UUIDField(), required=False, help_text="Published documents of the library."
    )
    kinds = serializers.DictField(
        child=KindSerializer(),
        required=False,
        help_text="By kind: `approved`, `wikipedia_offline`, `wikipedia_live`. A kind that is not sent keeps its mode; "
        "the weights of all others that share keep their proportions in what is left of 100.",
    )

    def validate_kinds(self, kinds: dict[str, object]) -> dict[str, object]:
        known = [kind.value for kind in list_searchable_kinds() if kind.find_documents is None]
        if unknown := sorted(set(kinds) - set(known)):
            raise serializers.ValidationError(f"There is no kind of source “{unknown[0][:40]}” here.")
        return kinds

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        """Without `kinds`, both lists are required."""
        if "kinds" not in attrs and (
            missing := [kind.value for kind in list_document_kinds() if kind.value not in attrs]
        ):
            raise serializers.ValidationError({name: ["This field is required."] for name in missing})
        return attrs
