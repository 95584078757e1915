"""The school library as a source."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.passages import Passage, Query, SourceKind
from corpus.search.search import search
from school_library.models import SchoolChunk, SchoolDocumentQuerySet
from schools.models import School


class SchoolSource:
    """Searches these documents of one school, as long as they are published."""

    kind = SourceKind.SCHOOL

    def __init__(self, school: School, documents: SchoolDocumentQuerySet) -> None:
        self.school = school.pk
        found = documents.for_school(school).published().searchable().order_by()
        self.documents = dict(found.values_list("pk", "language"))

    def is_empty(self) -> bool:
        return not self.documents

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return search(
            SchoolChunk,
            self.documents,
            query,
            limit,
            school=self.school,
            kind=self.kind,
            still="document.is_published",
        )
