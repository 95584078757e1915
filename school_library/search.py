"""Search and filters of the library."""

from __future__ import annotations

from corpus.web.browse import browse_documents
from school_library.grades import covers
from school_library.models import SchoolDocumentQuerySet


def browse(documents: SchoolDocumentQuerySet, *, grade: str = "", **filters: str) -> SchoolDocumentQuerySet:
    """Documents for this grade, with the `filters` and in the order of `browse_documents`; by default by name."""
    if grade:
        grades = [text for text in documents.values_of("grade") if covers(text, grade)]
        documents = documents.filter(grade__in=grades)
    filters["sort"] = filters.get("sort") or "name"
    return browse_documents(documents, described_by=("description", "subject", "grade"), **filters)
