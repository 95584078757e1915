"""Documents of the school's library as something to search."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.passages import Passage, Query, SourceKind
from corpus.search import search
from school_library.models import SchoolChunk, SchoolDocumentQuerySet
from schools.models import School


class SchoolSource:
    """Searches these library documents of one school, as far as they are published, and no others."""

    kind = SourceKind.SCHOOL

    def __init__(self, school: School, documents: SchoolDocumentQuerySet) -> None:
        self.documents = documents.for_school(school).published().answering()
        self.chunks = SchoolChunk.objects.for_school(school).filter(document__in=self.documents)

    def is_empty(self) -> bool:
        return not self.documents.exists()

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return search(self.chunks, query, limit, kind=self.kind)
