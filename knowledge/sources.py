"""A teacher's own documents as something to search."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.passages import Passage, Query, SourceKind
from corpus.search import search
from knowledge.models import PersonalChunk, PersonalDocumentQuerySet
from schools.models import School


class PersonalSource:
    """Searches these personal documents of one school and no others."""

    kind = SourceKind.PERSONAL

    def __init__(self, school: School, documents: PersonalDocumentQuerySet) -> None:
        self.documents = documents.for_school(school).answering()
        self.chunks = PersonalChunk.objects.for_school(school).filter(document__in=self.documents)

    def is_empty(self) -> bool:
        return not self.documents.exists()

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return search(self.chunks, query, limit, kind=self.kind)
