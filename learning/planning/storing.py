"""What a plan may read, in order and for a search, and what has changed; storing concepts, sources and questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from chatbots.answering.retrieval import WeightedSource
from chatbots.answering.source_selection import select_sources
from chatbots.models import make_snapshot_fields
from corpus.models import Document
from corpus.passages import Passage
from corpus.search.duplicates import wording
from corpus.source_kinds import SourceKind, list_document_kinds, list_searchable_kinds
from learning.material import ConceptText, DraftQuestion, FoundConcept
from learning.models import Concept, ConceptSource, Prerequisite, Question, StudyPlan
from learning.models.plan import ConceptQuerySet
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


@transaction.atomic
def store_concepts(plan: StudyPlan, found: Sequence[FoundConcept]) -> None:
    """Store the concepts of a plan in this order, each with its first sources, and their prerequisites."""
    by_name: dict[str, Concept] = {}
    for position, one in enumerate(found):
        concept = Concept.objects.create(
            school_id=plan.school_id,
            plan=plan,
            position=position,
            name=one.name[:120],
            definition=one.definition[:1000],
            definition_source=1,
            synonyms=[synonym[:120] for synonym in one.synonyms],
        )
        by_name[one.name] = concept
        cited = max((number for question in one.questions for number in question.sources), default=0)
        first = [one.defined_in, *(passage for passage in one.passages if passage != one.defined_in)]
        _add_sources(concept, first[: max(cited, 4)], number=1)  # so that it can be used at once
        Question.objects.bulk_create(_make_row(concept, question) for question in one.questions)
    links = [
        Prerequisite(school_id=plan.school_id, concept=by_name[one.name], requires=by_name[name])
        for one in found
        for name in one.prerequisites
        if name in by_name
    ]
    Prerequisite.objects.bulk_create(links)


@transaction.atomic
def replace_sources(
    concept: Concept, passages: Iterable[Passage], *, most: int, outdated: Iterable[ConceptSource] = ()
) -> None:
    """Replace the outdated sources of a concept, and add these passages as long as there are fewer than `most`.

    Sources keep their numbers. An outdated one that a question or the definition cites is kept, but is not current any
    more; such questions are outdated, unless the teacher edited them. Others are deleted.
    """
    gone = {source.pk for source in outdated}
    kept = [source for source in concept.sources.filter(is_current=True) if source.pk not in gone]
    known = {wording(source.excerpt) for source in kept}
    wanted = [passage for passage in passages if len(passage.text.split()) >= 30]
    new = [passage for passage in wanted if wording(passage.excerpt) not in known][: max(most - len(kept), 0)]
    last = concept.sources.aggregate(last=Max("number"))["last"] or 0
    _add_sources(concept, new, number=last + 1)
    for source in concept.sources.filter(pk__in=gone):
        cited = concept.questions.filter(source_numbers__contains=[source.number])
        if not cited.update(is_outdated=True) and source.number != concept.definition_source:
            source.delete()
    concept.sources.filter(pk__in=gone).update(is_current=False)
    concept.questions.filter(is_edited=True).update(is_outdated=False)
    _find_unchanged(concept).update(sources_at=timezone.now(), is_outdated=False)


def redefine(concept: Concept, found: FoundConcept) -> None:
    """Replace a definition whose source is outdated, and fill in a missing one; the teacher's own stays."""
    concept.refresh_from_db(fields=["is_edited", "definition"])
    if concept.is_edited and concept.definition:
        return
    same = [one for one in concept.sources.all() if wording(one.excerpt) == wording(found.defined_in.excerpt)]
    number = next((one.number for one in same if one.is_current), None)
    if number is None:
        number = (concept.sources.aggregate(last=Max("number"))["last"] or 0) + 1
        _add_sources(concept, [found.defined_in], number=number)
    changes = {"definition": found.definition[:1000], "definition_source": number}
    Concept.objects.filter(pk=concept.pk).update(**changes)


@transaction.atomic
def store_questions(concept: Concept, drafts: Iterable[DraftQuestion]) -> int:
    """Store new questions, without those that the plan has already; returns how many."""
    if not _find_unchanged(concept).select_for_update(no_key=True).exists():
        return 0
    asked = Question.objects.filter(concept__plan=concept.plan_id).values_list("kind", "prompt")
    known = {(kind, wording(prompt)) for kind, prompt in asked}
    rows = [_make_row(concept, draft) for draft in drafts if (draft.kind.value, wording(draft.prompt)) not in known]
    Question.objects.bulk_create(rows)
    Concept.objects.filter(pk=concept.pk).update(questions_at=timezone.now())
    return len(rows)


def _make_row(concept: Concept, draft: DraftQuestion) -> Question:
    fields = draft.as_fields() | {"kind": draft.kind.value, "made_by": draft.made_by[:120]}
    return Question(school_id=concept.school_id, concept=concept, **fields)


def concept_text(concept: Concept) -> ConceptText:
    passages = [source.as_numbered() for source in concept.sources.all() if source.is_current]
    return ConceptText(concept.name, concept.definition, tuple(passages), tuple(concept.synonyms))


def _find_unchanged(concept: Concept) -> ConceptQuerySet:
    """The concept, unless it was removed, renamed or merged since it was read: what was made of it is made anew."""
    return Concept.objects.active().filter(pk=concept.pk, name=concept.name, synonyms=concept.synonyms)


def _add_sources(concept: Concept, passages: Sequence[Passage], *, number: int) -> None:
    rows = [
        ConceptSource(school_id=concept.school_id, concept=concept, number=n, **make_snapshot_fields(passage))
        for n, passage in enumerate(passages, start=number)
    ]
    ConceptSource.objects.bulk_create(rows)
