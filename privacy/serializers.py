"""Certificates of erasure in the API."""

from __future__ import annotations

from rest_framework import serializers

from privacy.models import Erasure, ErasureKind


class ErasureRequestSerializer(serializers.Serializer[object]):
    kind = serializers.ChoiceField(choices=ErasureKind.choices)
    id = serializers.UUIDField(help_text="Of the class link, of the pupil, or of the person’s account.")
    confirm = serializers.ChoiceField(choices=["erase"], help_text="“erase”: it cannot be undone.")


class ErasureSerializer(serializers.Serializer[Erasure]):
    """A certificate: what was erased, and what is kept."""

    id = serializers.UUIDField(read_only=True)
    kind = serializers.ChoiceField(choices=ErasureKind.choices)
    subject_id = serializers.UUIDField()
    erased_at = serializers.DateTimeField()
    counts = serializers.DictField(child=serializers.IntegerField())
    kept = serializers.ListField(child=serializers.CharField())
    backups = serializers.CharField()
