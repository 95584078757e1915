"""Serializers of library documents."""

from __future__ import annotations

from rest_framework import serializers

from corpus.web.serializers import (
    DocumentChangeSerializer,
    DocumentQuery,
    DocumentSerializer,
    NewDocumentSerializer,
)

_GRADE = "Such as Year 9 or Years 7 to 9."
_DESCRIPTION = "What it is and when to use it."


class LibraryQuery(DocumentQuery):
    """The filters of the library."""

    grade = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=40,
        help_text="Year 9 also finds what is for Years 7 to 9.",
    )


class LibraryDocumentSerializer(DocumentSerializer):
    """A document of the school’s library with its newest file."""

    description = serializers.CharField(source="document.description")
    grade = serializers.CharField(source="document.grade")
    published = serializers.BooleanField(
        source="document.is_published", help_text="False if it is withdrawn: no chatbot answers from it."
    )


class Tags(serializers.Serializer[object]):
    """What a library document has besides title and subject."""

    description = serializers.CharField(required=False, allow_blank=True, max_length=2000, help_text=_DESCRIPTION)
    grade = serializers.CharField(required=False, allow_blank=True, max_length=40, help_text=_GRADE)


class NewLibraryDocumentSerializer(Tags, NewDocumentSerializer):
    pass


class LibraryDocumentChangeSerializer(Tags, DocumentChangeSerializer):
    published = serializers.BooleanField(required=False, help_text="Publish it, or withdraw it.")
