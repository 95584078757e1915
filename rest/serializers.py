from __future__ import annotations

from collections.abc import Iterator, Mapping

from rest_framework import serializers

from schools.models import Role, Scope

UNKNOWN = "There is no such field."


def unknown_fields(serializer: object, data: object, path: str = "") -> Iterator[str]:
    """The names of what was sent that a serializer and those within it have no field for: "sources.0.page"."""
    if isinstance(serializer, serializers.Serializer) and isinstance(data, Mapping):
        for name in data:
            if field := serializer.fields.get(name):
                yield from unknown_fields(field, data[name], f"{path}{name}.")
            else:
                yield f"{path}{name}"
    elif (child := getattr(serializer, "child", None)) and isinstance(data, list):
        for index, inner in enumerate(data):
            yield from unknown_fields(child, inner, f"{path}{index}.")


class ProblemSerializer(serializers.Serializer[object]):
    """What went wrong (RFC 9457)."""

    type = serializers.CharField(help_text="`about:blank`: the status says what kind of problem it is.")
    title = serializers.CharField(help_text="The kind of problem in a few words.")
    status = serializers.IntegerField(help_text="The HTTP status.")
    detail = serializers.CharField(help_text="What is wrong with this request, for people.")
    errors = serializers.DictField(  # type: ignore[assignment]  # the stubs know a property of this name
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="By field, what is wrong with what was sent.",
    )


class OwnSchoolSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    slug = serializers.CharField()


class MeSerializer(serializers.Serializer[object]):
    """Who asks, and with what right."""

    id = serializers.UUIDField(source="user_id")
    name = serializers.CharField()
    email = serializers.EmailField(source="user.email")
    role = serializers.ChoiceField(choices=Role.choices)
    school = OwnSchoolSerializer()
    scope = serializers.ChoiceField(
        choices=Scope.choices, allow_null=True, help_text="Of the access token; null with a session."
    )
