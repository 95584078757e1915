"""Documents of one kind as a source. Each kind inherits from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Self
from uuid import UUID

from corpus.models import Chunk
from corpus.passages import Passage
from corpus.querysets import DocumentQuerySet
from corpus.search.named_passages import named_passages
from corpus.search.search import prepare_search
from corpus.search.spelling import vocabulary
from corpus.search.steps import SearchInSteps
from corpus.sources import NamedPassages, Query, Source, Vocabulary
from schools.models import School


class DocumentSource(Source):
    """Searches these documents of one school and no others."""

    chunks: ClassVar[type[Chunk]]
    still: ClassVar[str] = "true"
    """What must hold of a document at the time of a search, in SQL."""

    def __init__(self, school: School, documents: DocumentQuerySet[Any]) -> None:
        self.school = school.pk
        self.documents: dict[UUID, str] = dict(self.find_searchable(school.pk, documents))

    @classmethod
    def of_chatbot(cls, chatbot: Any) -> Self:
        """The same as with the `documents_of(chatbot)`, in a third of the time."""
        source = cls.__new__(cls)
        source.school, source.documents = chatbot.school_id, dict(cls.find_of_chatbot(chatbot))
        return source

    @staticmethod
    def find_of_chatbot(chatbot: object) -> Any:
        """Id and language of the documents that a chatbot may search."""
        raise NotImplementedError

    @staticmethod
    def find_searchable(school: UUID, documents: DocumentQuerySet[Any]) -> Any:
        """Id and language of those of the documents that may be searched."""
        return documents.filter(school=school).searchable().order_by().values_list("pk", "language")

    def is_empty(self) -> bool:
        return not self.documents

    def languages(self) -> Collection[str]:
        return set(self.documents.values())

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return self.prepared(query, limit)()

    def prepared(self, query: Query, limit: int) -> SearchInSteps[list[Passage]]:
        return prepare_search(
            self.chunks, self.documents, query, limit, school=self.school, kind=self.kind, still=self.still
        )

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        return vocabulary(self.chunks, self.documents, words, school=self.school, still=self.still)

    def named(self, name: str, limit: int, *, model: str, outline: bool = False) -> NamedPassages | None:
        return named_passages(
            self.chunks,
            self.documents,
            name,
            limit,
            school=self.school,
            kind=self.kind,
            model=model,
            still=self.still,
            outline=outline,
        )
