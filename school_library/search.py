"""Search and filters of the library."""

from __future__ import annotations

from django.contrib.postgres.search import SearchQuery
from django.db.models import Case, Exists, OuterRef, Q, Value, When
from django.db.models.functions import Lower

from school_library.grades import covers
from school_library.models import SchoolChunk, SchoolDocumentQuerySet, SchoolVersion


def browse(
    documents: SchoolDocumentQuerySet, *, words: str = "", subject: str = "", grade: str = ""
) -> SchoolDocumentQuerySet:
    """Documents with this subject and grade that have all words in title, description, tags or file name, or in text.

    Matches in the title come first, matches in the text alone last.
    """
    if subject:
        documents = documents.filter(subject__iexact=subject)
    if grade:
        documents = documents.filter(grade__in=[text for text in tag_values(documents, "grade") if covers(text, grade)])
    by_title = Lower("title")
    if not words.split():
        return documents.order_by(by_title, "id")
    newest = SchoolVersion.objects.filter(document=OuterRef("pk"), number=OuterRef("version"))
    titled, described = Q(), Q()
    for word in words.split():
        titled &= Q(title__icontains=word)
        described &= (
            Q(title__icontains=word)
            | Q(description__icontains=word)
            | Q(subject__icontains=word)
            | Q(grade__icontains=word)
            | Q(Exists(newest.filter(filename__icontains=word)))
        )
    query = SearchQuery(words, config="english", search_type="websearch")
    said = Exists(SchoolChunk.objects.filter(document=OuterRef("pk"), search=query))
    place = Case(When(titled, then=Value(0)), When(described, then=Value(1)), default=Value(2))
    return documents.filter(described | said).alias(place=place).order_by("place", by_title, "id")


def tag_values(documents: SchoolDocumentQuerySet, name: str) -> list[str]:
    """The distinct values of a tag ("subject" or "grade"), sorted. Those that differ only in case count once."""
    values = documents.exclude(**{name: ""}).order_by(name).values_list(name, flat=True)
    return list({value.casefold(): value for value in values.distinct()}.values())
