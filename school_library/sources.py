"""The school library as a source."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from corpus.querysets import DocumentQuerySet
from corpus.search.document_source import DocumentSource
from corpus.source_kinds import Participation, SourceKind
from school_library.models import SchoolChunk, SchoolDocument, SchoolDocumentQuerySet
from schools.built_once import build_once

STILL = "document.is_published"
"""What must hold at the time of a search, in SQL."""


class SchoolSource(DocumentSource):
    """Searches these library documents of one school, as far as they are published, and no others."""

    chunks = SchoolChunk
    still = STILL

    @staticmethod
    def find_of_chatbot(chatbot: Any) -> object:
        return _fetch_searchable(chatbot.pk, chatbot.school_id)

    @staticmethod
    def find_searchable(school: UUID, documents: DocumentQuerySet[Any]) -> Any:
        return DocumentSource.find_searchable(school, documents.filter(is_published=True))

    @property
    def kind(self) -> SourceKind:
        return SCHOOL


def find_school_documents(chatbot: Any) -> SchoolDocumentQuerySet:
    """What a chatbot may read: published documents of its own school, whatever the links say."""
    return _select_documents(chatbot.pk, chatbot.school_id)


def _select_documents(chatbot: UUID, school: UUID) -> SchoolDocumentQuerySet:
    linked = SchoolDocument.objects.filter(chatbot_links__chatbot=chatbot)
    return linked.filter(school=school).published()


@build_once(UUID(int=1), UUID(int=2))
def _fetch_searchable(chatbot: UUID, school: UUID) -> Any:
    return SchoolSource.find_searchable(school, _select_documents(chatbot, school))


SCHOOL = SourceKind(
    "school",
    "School",
    "the school’s library",
    counted="from the library",
    icon="school",
    colour="school",
    is_private=False,
    ends="withdrawn or deleted",
    participation=Participation.SHARES,
    weight=40,
    source_for=SchoolSource.of_chatbot,
    documents_for=lambda member: SchoolDocument.objects.for_member(member).published(),
    find_documents=find_school_documents,
    source_among=SchoolSource,
    page="school_library:detail",
)
