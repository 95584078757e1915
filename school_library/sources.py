"""The school library as a source."""

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
from school_library.models import SchoolChunk, SchoolDocument, SchoolDocumentQuerySet
from schools.built_once import BuiltOnce
from schools.models import School

STILL = "document.is_published"
"""What must hold at the time of a search, in SQL."""


class SchoolSource(Source):
    """Searches these library documents of one school, as far as they are published, and no others."""

    def __init__(self, school: School, documents: SchoolDocumentQuerySet) -> None:
        self.school = school.pk
        self.documents: dict[UUID, str] = dict(_searchable(school.pk, documents))

    @classmethod
    def of_chatbot(cls, chatbot: Any) -> SchoolSource:
        """The same as `SchoolSource(chatbot.school, documents_of(chatbot))`, in a third of the time."""
        source = cls.__new__(cls)
        source.school = chatbot.school_id
        source.documents = dict(_OF_CHATBOT.rows(chatbot.pk, chatbot.school_id))
        return source

    @property
    def kind(self) -> SourceKind:
        return SCHOOL

    def is_empty(self) -> bool:
        return not self.documents

    def languages(self) -> Collection[str]:
        return set(self.documents.values())

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return self.prepared(query, limit)()

    def prepared(self, query: Query, limit: int) -> SearchInSteps[list[Passage]]:
        return prepared_search(
            SchoolChunk,
            self.documents,
            query,
            limit,
            school=self.school,
            kind=SCHOOL,
            still=STILL,
        )

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        return vocabulary(SchoolChunk, self.documents, words, school=self.school, still=STILL)

    def named(self, name: str, limit: int, *, model: str, outline: bool = False) -> NamedPassages | None:
        return named_passages(
            SchoolChunk,
            self.documents,
            name,
            limit,
            school=self.school,
            kind=SCHOOL,
            model=model,
            still=STILL,
            outline=outline,
        )


def documents_of(chatbot: Any) -> SchoolDocumentQuerySet:
    """What a chatbot may read: published documents of its own school, whatever the links say."""
    return _documents_of(chatbot.pk, chatbot.school_id)


def _documents_of(chatbot: UUID, school: UUID) -> SchoolDocumentQuerySet:
    linked = SchoolDocument.objects.filter(chatbot_links__chatbot=chatbot)
    return linked.filter(school=school).published()


def _searchable(school: UUID, documents: SchoolDocumentQuerySet) -> models.QuerySet[Any, Any]:
    return documents.filter(school=school).published().searchable().order_by().values_list("pk", "language")


_OF_CHATBOT = BuiltOnce(
    lambda chatbot, school: _searchable(school, _documents_of(chatbot, school)), UUID(int=1), UUID(int=2)
)


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
    documents_of=documents_of,
    source_among=SchoolSource,
    page="school_library:detail",
)
