"""What a plan may be made from: its documents, in order and for a search, what is offered, and what has changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Any
from uuid import UUID

from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.source_selection import select_sources
from corpus.models import Document
from corpus.passages import Passage
from corpus.source_kinds import SourceKind, list_document_kinds, list_searchable_kinds
from learning.models import Concept, ConceptSource, StudyPlan
from schools.models import Membership, School

MAX_PASSAGES = 20_000
"""Chunks that are read to find the concepts of a plan, about three million words."""


def plan_documents(plan: StudyPlan) -> list[tuple[SourceKind, Document]]:
    """The documents of a plan that can be read now, by kind and title."""
    chatbot = plan.chatbot or plan.tutor  # whose documents the plan is made from
    return [
        (kind, document)
        for kind in list_document_kinds()
        if kind.find_documents
        for document in kind.find_documents(chatbot).filter(answering_version__isnull=False).order_by("title", "pk")
    ]


def read_passages(plan: StudyPlan) -> list[Passage]:
    """All chunks of the plan's documents as passages, in reading order, at most `MAX_PASSAGES`."""
    found: list[Passage] = []
    for kind, document in plan_documents(plan):
        found += _passages(kind, document)
        if len(found) >= MAX_PASSAGES:
            break
    return found[:MAX_PASSAGES]


def search_sources(plan: StudyPlan) -> list[WeightedSource]:
    """What is searched for each concept: the sources of the chosen chatbot, or the plan's documents and, to fill the
    places that they leave empty, the chosen kinds that the school allows."""
    if plan.chatbot:
        return select_sources(plan.chatbot)
    found = []
    for kind in list_searchable_kinds():
        has_documents = kind.find_documents is not None
        if not has_documents and (kind.value not in plan.kinds or not kind.is_allowed_for(plan.school)):
            continue
        source = kind.source_for(plan.tutor) if kind.source_for else None
        if source and not source.is_empty():
            found.append(WeightedSource(source, 50 if has_documents else 0, fills_in=not has_documents))
    return found


def list_offered_documents(member: Membership) -> list[tuple[SourceKind, Any]]:
    return [
        (kind, kind.documents_for(member).filter(answering_version__isnull=False).order_by("title", "pk"))
        for kind in list_document_kinds()
        if kind.documents_for
    ]


def list_offered_kinds(school: School) -> list[SourceKind]:
    return [kind for kind in list_searchable_kinds() if kind.find_documents is None and kind.is_allowed_for(school)]


def _passages(kind: SourceKind, document: Document) -> Iterator[Passage]:
    version = document.versions.filter(number=document.answering_version).first()
    media_type = version.media_type if version else ""
    recognised = set(version.recognised_pages) if version else set()
    marks = {mark: mark.strip("*") for mark in version.marks} if version else {}
    rows = document.chunks.defer("embedding", "search").order_by("position")
    for _, group in groupby(rows, key=lambda chunk: chunk.block):
        chunks = list(group)
        text = "".join(chunk.text for chunk in chunks).strip()
        for chunk in chunks:
            yield Passage(
                kind=kind,
                document_id=UUID(str(document.pk)),
                document_title=document.title,
                version=document.answering_version,
                heading_path=tuple(chunk.heading_path),
                page=chunk.page,
                page_label=version.label_of_page(chunk.page) if version else "",
                lines=chunk.lines,
                file_path=chunk.file_path,
                label=chunk.label,
                position=chunk.position,
                block=chunk.block,
                excerpt=chunk.text.strip(),
                text=text,
                relevance=1.0,
                media_type=media_type,
                is_recognised=chunk.page in recognised,
                marks=tuple(mark for mark, words in marks.items() if words in chunk.text),
            )


def find_outdated_concepts(plan: StudyPlan) -> list[Concept]:
    return list(plan.active_concepts().filter(pk__in={source.concept_id for source in find_outdated_sources(plan)}))


def find_outdated_sources(plan: StudyPlan) -> list[ConceptSource]:
    """Current sources whose document is not there any more, or has a newer version without this passage.

    A passage that a newer version still contains word for word is up to date.
    """
    sources = ConceptSource.objects.filter(concept__plan=plan, is_current=True, document_id__isnull=False)
    by_document: dict[UUID, list[ConceptSource]] = defaultdict(list)
    for source in sources.filter(concept__removed_at__isnull=True):
        if source.document_id:
            by_document[source.document_id].append(source)
    readable = {document.pk: document for _, document in plan_documents(plan)}
    return [source for key, cited in by_document.items() for source in _changed(cited, readable.get(key))]


def _changed(cited: list[ConceptSource], document: Any) -> list[ConceptSource]:
    """Those sources of one document that it does not contain any more."""
    if document is None:
        return cited
    if all(source.version == document.answering_version for source in cited):
        return []
    text = " ".join("".join(document.chunks.order_by("position").values_list("text", flat=True)).split())
    return [source for source in cited if " ".join(source.excerpt.split()) not in text]
