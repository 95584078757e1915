"""Serializers of library documents."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from corpus.web.serializers import (
    DocumentChangeSerializer,
    DocumentQuery,
    DocumentSerializer,
    NewDocumentSerializer,
)

_SUBJECT = "Such as Chemistry."
_GRADE = "Such as Year 9 or Years 7 to 9."
_DESCRIPTION = "What it is and when to use it."


class LibraryQuery(DocumentQuery):
    """The filters of the library."""

    search = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Words of title, description, tags or file name, or of the text.",
    )
    subject = serializers.CharField(required=False, allow_blank=True, max_length=60, help_text=_SUBJECT)
    grade = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=40,
        help_text="Year 9 also finds what is for Years 7 to 9.",
    )


class LibraryDocumentSerializer(DocumentSerializer):
    """A document of the school’s library with its newest file."""

    description = serializers.CharField(source="document.description")
    subject = serializers.CharField(source="document.subject")
    grade = serializers.CharField(source="document.grade")
    published = serializers.BooleanField(
        source="document.is_published", help_text="False if it is withdrawn: no chatbot answers from it."
    )


class Tags(serializers.Serializer[Any]):
    """Description and tags."""

    description = serializers.CharField(required=False, allow_blank=True, max_length=2000, help_text=_DESCRIPTION)
    subject = serializers.CharField(required=False, allow_blank=True, max_length=60, help_text=_SUBJECT)
    grade = serializers.CharField(required=False, allow_blank=True, max_length=40, help_text=_GRADE)


class NewLibraryDocumentSerializer(Tags, NewDocumentSerializer):
    pass


class LibraryDocumentChangeSerializer(Tags, DocumentChangeSerializer):
    published = serializers.BooleanField(required=False, help_text="Publish it, or withdraw it.")
