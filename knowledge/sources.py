"""Personal documents as a source."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import models

from corpus.passages import Passage
from corpus.search.named_passages import named_passages
from corpus.search.search import prepared_search
from corpus.search.spelling import vocabulary
from corpus.search.steps import SearchInSteps
from corpus.source_kinds import Participation, SourceKind
from corpus.sources import NamedPassages, Query, Source, Vocabulary
from knowledge.models import PersonalChunk, PersonalDocument, PersonalDocumentQuerySet
from schools.built_once import BuiltOnce
from schools.models import School


class PersonalSource(Source):
    """Searches these personal documents of one school and no others."""

    def __init__(self, school: School, documents: PersonalDocumentQuerySet) -> None:
        self.school = school.pk
        self.documents: dict[UUID, str] = dict(_searchable(school.pk, documents))

    @classmethod
    def of_chatbot(cls, chatbot: Any) -> PersonalSource:
        """The same as `PersonalSource(chatbot.school, documents_of(chatbot))`, in a third of the time."""
        source = cls.__new__(cls)
        source.school = chatbot.school_id
        source.documents = dict(_OF_CHATBOT.rows(chatbot.pk, chatbot.school_id, chatbot.owner_id))
        return source

    @property
    def kind(self) -> SourceKind:
        return PERSONAL

    def is_empty(self) -> bool:
        return not self.documents

    def languages(self) -> Collection[str]:
        return set(self.documents.values())

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return self.prepared(query, limit)()

    def prepared(self, query: Query, limit: int) -> SearchInSteps[list[Passage]]:
        return prepared_search(PersonalChunk, self.documents, query, limit, school=self.school, kind=PERSONAL)

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        return vocabulary(PersonalChunk, self.documents, words, school=self.school)

    def named(self, name: str, limit: int, *, model: str, outline: bool = False) -> NamedPassages | None:
        return named_passages(
            PersonalChunk,
            self.documents,
            name,
            limit,
            school=self.school,
            kind=PERSONAL,
            model=model,
            outline=outline,
        )


def documents_of(chatbot: Any) -> PersonalDocumentQuerySet:
    """What a chatbot may read: of its own school and its owner, whatever the links say."""
    return _documents_of(chatbot.pk, chatbot.school_id, chatbot.owner_id)


def _documents_of(chatbot: UUID, school: UUID, owner: UUID) -> PersonalDocumentQuerySet:
    linked = PersonalDocument.objects.filter(chatbot_links__chatbot=chatbot)
    return linked.filter(school=school, owner=owner)


def _searchable(school: UUID, documents: PersonalDocumentQuerySet) -> models.QuerySet[Any, Any]:
    return documents.filter(school=school).searchable().order_by().values_list("pk", "language")


_OF_CHATBOT = BuiltOnce(
    lambda chatbot, school, owner: _searchable(school, _documents_of(chatbot, school, owner)),
    UUID(int=1),
    UUID(int=2),
    UUID(int=3),
)


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
    documents_of=documents_of,
    source_among=PersonalSource,
    page="knowledge:detail",
)
