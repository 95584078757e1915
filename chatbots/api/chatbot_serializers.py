"""Serializers of chatbots."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from chatbots.models import NEVER_GENERAL, ChatbotKind, ChatbotRole, Language, WhenUnsure
from rest.pagination import PageQuery

WEIGHTS = ("personal_weight", "school_weight")


class ChatbotSerializer(serializers.Serializer[object]):
    """A chatbot of the user, or one that a colleague shares with the user; from `Chatbot.objects.described_for`."""

    id = serializers.UUIDField(read_only=True)
    name = serializers.CharField(max_length=100)
    description = serializers.CharField(
        max_length=300, allow_blank=True, default="", help_text="One line for your own overview."
    )
    instructions = serializers.CharField(
        max_length=4000, allow_blank=True, default="", help_text="Tone, level and scope of the answers."
    )
    subject = serializers.CharField(max_length=60, allow_blank=True, default="")
    language = serializers.ChoiceField(choices=Language.choices, default=Language.ENGLISH, help_text="Of the answers.")
    kind = serializers.ChoiceField(
        choices=ChatbotKind.choices,
        default=ChatbotKind.GENERAL,
        help_text="A textbook chatbot refuses with “I cannot answer based on the textbook content”, in its language.",
    )
    personal_weight = serializers.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        help_text="Share of personal documents in the places, in percent; 60 by default.",
    )
    school_weight = serializers.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        help_text="Share of the library. All shares add up to 100; a missing one is the remainder.",
    )
    places = serializers.IntegerField(
        min_value=1, max_value=20, default=5, help_text="Maximum number of passages for an answer."
    )
    when_unsure = serializers.ChoiceField(
        choices=WhenUnsure.choices,
        default=WhenUnsure.REFUSE,
        help_text="What happens when nothing relevant is found: `general` answers from general knowledge, marked.",
    )
    role = serializers.ChoiceField(
        choices=ChatbotRole.choices,
        read_only=True,
        help_text="What you may do: `owner` everything, `editor` ask and change it, `reader` ask it.",
    )
    shared = serializers.BooleanField(
        source="is_shared", read_only=True, help_text="Whether its owner shares it with colleagues."
    )
    archived_at = serializers.DateTimeField(
        source="archived", read_only=True, allow_null=True, help_text="When you archived it; null in your list."
    )
    template = serializers.BooleanField(
        source="is_template", read_only=True, help_text="Whether members of the school may copy it."
    )
    created_at = serializers.DateTimeField(read_only=True)
    updated_at = serializers.DateTimeField(read_only=True)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        """Check kind and fallback together, and collect the weights; `services` checks them with stored values."""
        if attrs.get("kind") == ChatbotKind.TEXTBOOK and attrs.get("when_unsure") == WhenUnsure.GENERAL:
            raise serializers.ValidationError({"when_unsure": [NEVER_GENERAL]})
        weights = {name.removesuffix("_weight"): attrs.pop(name) for name in WEIGHTS if name in attrs}
        return attrs | {"weights": weights}

    def to_representation(self, instance: Any) -> dict[str, Any]:
        weights = {f"{row.kind}_weight": row.weight for row in instance.all_sources()}
        return super().to_representation(instance) | {name: weights[name] for name in WEIGHTS}


class ChatbotQuery(PageQuery):
    kind = serializers.ChoiceField(choices=ChatbotKind.choices, required=False, help_text="Only chatbots of this kind.")
