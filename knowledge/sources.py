"""Personal documents as a source."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from corpus.search.document_source import DocumentSource
from corpus.source_kinds import Participation, SourceKind
from knowledge.models import PersonalChunk, PersonalDocument, PersonalDocumentQuerySet
from schools.built_once import build_once


class PersonalSource(DocumentSource):
    """Searches these personal documents of one school and no others."""

    chunks = PersonalChunk

    @staticmethod
    def find_of_chatbot(chatbot: Any) -> object:
        return _fetch_searchable(chatbot.pk, chatbot.school_id, chatbot.owner_id)

    @property
    def kind(self) -> SourceKind:
        return PERSONAL


def find_documents(chatbot: Any) -> PersonalDocumentQuerySet:
    """What a chatbot may read: of its own school and its owner, whatever the links say."""
    return _select_documents(chatbot.pk, chatbot.school_id, chatbot.owner_id)


def _select_documents(chatbot: UUID, school: UUID, owner: UUID) -> PersonalDocumentQuerySet:
    linked = PersonalDocument.objects.filter(chatbot_links__chatbot=chatbot)
    return linked.filter(school=school, owner=owner)


@build_once(UUID(int=1), UUID(int=2), UUID(int=3))
def _fetch_searchable(chatbot: UUID, school: UUID, owner: UUID) -> Any:
    return PersonalSource.find_searchable(school, _select_documents(chatbot, school, owner))


PERSONAL = SourceKind(
    "personal",
    "Personal",
    "personal documents",
    counted="personal",
    guest_label="Your teacher’s",
    shared_label="The owner’s",
    icon="personal",
    colour="personal",
    is_private=True,
    participation=Participation.SHARES,
    weight=60,
    source_for=PersonalSource.of_chatbot,
    documents_for=PersonalDocument.objects.for_member,
    find_documents=find_documents,
    source_among=PersonalSource,
    page="knowledge:detail",
)
