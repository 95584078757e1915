"""Personal documents as a source."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.passages import Passage, Query, SourceKind
from corpus.search.search import search
from knowledge.models import PersonalChunk, PersonalDocumentQuerySet
from schools.models import School


class PersonalSource:
    """Searches these documents of one school."""

    kind = SourceKind.PERSONAL

    def __init__(self, school: School, documents: PersonalDocumentQuerySet) -> None:
        self.school = school.pk
        found = documents.for_school(school).searchable().order_by()
        self.documents = dict(found.values_list("pk", "language"))

    def is_empty(self) -> bool:
        return not self.documents

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return search(PersonalChunk, self.documents, query, limit, school=self.school, kind=self.kind)
