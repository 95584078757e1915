"""Search, filters and order of a list of documents of either kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.contrib.postgres.search import SearchQuery
from django.db.models import Case, Exists, F, Max, OuterRef, Q, Value, When
from django.db.models.functions import Lower

from corpus.models import Status
from corpus.querysets import DocumentQuerySet
from corpus.web.grades import covers
from text.lexemes import full_text_input

D = TypeVar("D", bound=DocumentQuerySet[Any])

SORTS = {"date": "Newest first", "name": "Name", "subject": "Subject", "status": "Status"}
STATES = {"ready": "Ready", "pending": "Being read", "failed": "Could not be read"}

_STATUSES = {"ready": (Status.READY,), "pending": (Status.QUEUED, Status.INDEXING), "failed": (Status.FAILED,)}
_ORDERS: dict[str, Sequence[Any]] = {
    "date": (F("uploaded_at").desc(), "-pk"),
    "name": (Lower("title"), "pk"),
    "subject": (Case(When(subject="", then=Value(1)), default=Value(0)), Lower("subject"), Lower("title"), "pk"),
    "status": (
        Case(When(status=Status.FAILED, then=Value(0)), When(status=Status.READY, then=Value(2)), default=Value(1)),
        Lower("title"),
        "pk",
    ),
}


def browse_documents(
    documents: D,
    *,
    words: str = "",
    subject: str = "",
    status: str = "",
    sort: str = "date",
    grade: str = "",
) -> D:
    """Documents of this subject, grade and state (of STATES) with all words, in an order of SORTS.

    The words stand in the title, the tags and the file name, or in the text. Those with all words in the title come
    first, those with words in the text alone last.
    """
    if subject:
        documents = documents.filter(subject__iexact=subject)
    if grade:
        grades = [text for text in documents.list_values("grade") if covers(text, grade)]
        documents = documents.filter(grade__in=grades)
    if status:
        documents = documents.filter(status__in=_STATUSES[status])
    order = _ORDERS[sort]
    if words.split():
        documents, order = _with_words(documents, words), ("place", *order)
    if sort == "date":
        documents = documents.alias(uploaded_at=Max("versions__created_at"))
    return documents.order_by(*order)


def _with_words(documents: D, words: str) -> D:
    """Those with all words, and where as `place`: 0 in the title, 1 in what describes them, 2 in the text."""
    related = {name: documents.model._meta.get_field(name).related_model for name in ("versions", "chunks")}
    versions, chunks = (model._default_manager.filter(document=OuterRef("pk")) for model in related.values())
    newest = versions.filter(number=OuterRef("version"))
    titled, described, said = Q(), Q(), Q()
    for word in words.split():
        titled &= Q(title__reads=word)
        found = Q(title__reads=word) | Q(Exists(newest.filter(filename__reads=word)))
        for name in documents.model.TAGS:
            found |= Q(**{f"{name}__reads": word})
        described &= found
    for language in documents.order_by().values_list("language", flat=True).distinct():
        query = SearchQuery(full_text_input(words), config=language)
        said |= Q(language=language) & Q(Exists(chunks.filter(search=query)))
    place = Case(When(titled, then=Value(0)), When(described, then=Value(1)), default=Value(2))
    return documents.filter(described | said).alias(place=place)
