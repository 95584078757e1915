"""Store what was found and made for a plan: concepts with their prerequisites, sources and questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from chatbots.models import make_snapshot_fields
from corpus.passages import Passage
from corpus.search.duplicates import wording
from learning.material import ConceptText, DraftQuestion, FoundConcept
from learning.models import Concept, ConceptSource, Prerequisite, Question, StudyPlan
from learning.models.plan import ConceptQuerySet


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
