"""Serializers of approved pages."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from references.approved.topics import MAX_KEYWORD_LENGTH, MAX_KEYWORDS, MAX_NAME_LENGTH, MAX_PAGES
from references.fetching.addresses import MAX_ADDRESS_LENGTH
from references.models import ApprovedPage, PageState


class ApprovedPageSerializer(serializers.Serializer[object]):
    """A page, and how it is. Only the address can be sent."""

    address = serializers.CharField(
        max_length=MAX_ADDRESS_LENGTH, help_text="Begins with https://; it is stored in ASCII."
    )
    state = serializers.ChoiceField(
        choices=PageState.choices,
        source="current_state",
        read_only=True,
        help_text="`changed`: the page has another text, title or address than was approved; that keeps answering. "
        "`stale`: it could not be read of late; its text answers for 30 days. `failed`: it does not answer.",
    )
    reason = serializers.CharField(read_only=True, help_text="Why it could not be read, for people; else empty.")
    checked_at = serializers.DateTimeField(read_only=True, allow_null=True, help_text="When it was last tried.")


class ApprovedTopicSerializer(serializers.Serializer[object]):
    """A topic: a question that has two of its keywords brings its pages."""

    id = serializers.UUIDField(read_only=True)
    name = serializers.CharField(max_length=MAX_NAME_LENGTH, help_text="Different from all others of the school.")
    keywords = serializers.ListField(
        child=serializers.CharField(max_length=MAX_KEYWORD_LENGTH),
        min_length=2,
        max_length=2 * MAX_KEYWORDS,
        help_text="At least two different ones. Of word forms of one keyword only the first is kept.",
    )
    pages = ApprovedPageSerializer(
        many=True,
        required=False,
        max_length=MAX_PAGES,  # type: ignore[call-arg]  # of the list
        help_text="In a change: exactly these from now on.",
    )
    created_at = serializers.DateTimeField(read_only=True)

    def validate_pages(self, pages: list[dict[str, object]]) -> list[dict[str, object]]:
        """A page without an address is wrong in a change, too, where fields may be left out."""
        wrong = [{} if "address" in page else {"address": ["This field is required."]} for page in pages]
        if any(wrong):
            raise serializers.ValidationError(wrong)
        return pages

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown = super().to_representation(instance)
        pages: list[ApprovedPage] = list(instance.pages.all())
        return shown | {"pages": ApprovedPageSerializer(pages, many=True).data}


class QueuedSerializer(serializers.Serializer[object]):
    """What will be read."""

    pages = serializers.IntegerField(help_text="How many pages are waiting to be read.")
