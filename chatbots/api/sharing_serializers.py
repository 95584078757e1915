"""Serializers of what is shared: with colleagues, and as templates."""

from __future__ import annotations

from rest_framework import serializers

from chatbots.models import SHARED_ROLES, Chatbot, ChatbotKind, Collaborator, Language

ROLES = [(role.value, role.label) for role in SHARED_ROLES]


class ColleagueSerializer(serializers.Serializer[object]):
    """A member of the school, as other members see them."""

    name = serializers.CharField(read_only=True)
    email = serializers.EmailField(source="user.email", read_only=True)


class ShareSerializer(serializers.Serializer[Collaborator]):
    """A colleague who may use the chatbot."""

    id = serializers.UUIDField(read_only=True)
    colleague = ColleagueSerializer(source="membership", read_only=True)
    role = serializers.ChoiceField(choices=ROLES, help_text="`reader` may ask it, `editor` may change it too.")
    created_at = serializers.DateTimeField(read_only=True)


class NewShareSerializer(serializers.Serializer[object]):
    colleague = serializers.EmailField(max_length=254, help_text="An e-mail address from `colleagues`.")
    role = serializers.ChoiceField(choices=ROLES, default=SHARED_ROLES[0].value)
    documents = serializers.BooleanField(
        required=False, help_text="Sets `documents` of the consent, which counts for all colleagues, at the same time."
    )


class ConsentSerializer(serializers.Serializer[Chatbot]):
    documents = serializers.BooleanField(
        source="colleagues_get_documents",
        help_text="Whether colleagues get answers from your documents: passages, with the title of the document.",
    )


class TemplateSerializer(serializers.Serializer[Chatbot]):
    """A template, from `list_templates`."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    description = serializers.CharField()
    instructions = serializers.CharField()
    subject = serializers.CharField()
    language = serializers.ChoiceField(choices=Language.choices)
    kind = serializers.ChoiceField(choices=ChatbotKind.choices)
    owner = serializers.CharField(source="owner_name", help_text="The name of the member who offers it.")
    library_documents = serializers.IntegerField(source="library_count", help_text="How many it reads.")
