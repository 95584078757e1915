"""The teacher's edits of a plan's graph. Each can be undone, the last one first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from learning.material import MAX_DEFINITION_LENGTH, MAX_NAME_LENGTH
from learning.models import (
    MAX_CONCEPTS,
    Concept,
    ConceptSource,
    PlanEdit,
    PlanStatus,
    Prerequisite,
    Question,
    StudyPlan,
)
from learning.planning.services import queue_plan

KEPT_EDITS = 50
"""How many edits of a plan can be undone."""

_FIELDS = ("name", "definition", "definition_source", "synonyms", "position", "is_edited")


class EditRefused(Exception):
    """The edit is not possible; the message says why."""


@contextmanager
def _in_words() -> Iterator[None]:
    """A transaction in which what the database refuses is said in words."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        for constraint, words in _REFUSED.items():
            if constraint in str(error) or constraint in str(getattr(error.__cause__, "diag", "") or ""):
                raise EditRefused(words) from None
        raise


_REFUSED = {
    "concept_name_once": "The plan has a concept with this name already.",
    "at most 60 concepts": f"A plan has at most {MAX_CONCEPTS} concepts.",
    "form no circle": "That would make a circle: the one would be learnt before the other, and the other before it.",
    "of the same plan": "Both concepts belong to the same plan.",
}


@_in_words()
def rename_concept(*, concept: Concept, name: str, definition: str | None = None) -> Concept:
    """Change the name, and the definition where one is given. A definition of the teacher's own cites no source."""
    plan, name = _locked(concept.plan), _name(name)
    _remember(plan, f"Rename “{concept.name}”", [concept])
    changes: dict[str, Any] = {"name": name, "is_edited": True}
    if definition is not None and definition.strip() != concept.definition:
        changes |= {"definition": _definition(definition), "definition_source": None}
    Concept.objects.filter(pk=concept.pk).update(**changes)
    if name != concept.name:
        _make_again(plan, concept)
    return concept


@_in_words()
def add_concept(*, plan: StudyPlan, name: str, definition: str = "", after: Concept | None = None) -> Concept:
    """Add a concept, at the end or after another one. A worker finds its sources and makes its questions."""
    plan, name = _locked(plan), _name(name)
    if not plan.concepts.exists() and plan.status not in (PlanStatus.READY, PlanStatus.FAILED):
        # A plan that has concepts looks for no others.
        raise EditRefused("The concepts of its sources are not found yet. Add yours when the plan shows them.")
    edit = _remember(plan, f"Add “{name}”", plan.active_concepts() if after else [])
    last = plan.active_concepts().aggregate(last=Max("position"))["last"]
    position = after.position + 1 if after else (0 if last is None else last + 1)
    if after:
        for one in plan.active_concepts().filter(position__gte=position):
            Concept.objects.filter(pk=one.pk).update(position=one.position + 1)
    return _create(plan, edit, position=position, name=name, definition=_definition(definition))


@_in_words()
def remove_concept(*, concept: Concept) -> None:
    """Remove a concept with its links. What needed it now needs what it needed."""
    plan = _locked(concept.plan)
    _remember(plan, f"Remove “{concept.name}”", [concept])
    above, below = _take_links(concept)
    _link(plan, [(one, required) for one in below for required in above])
    Concept.objects.filter(pk=concept.pk).update(removed_at=timezone.now())


@_in_words()
def merge_concepts(*, concept: Concept, into: Concept) -> Concept:
    """Merge a concept into another one of the plan, which gets its name as a synonym, its sources and its questions."""
    if concept.pk == into.pk or concept.plan_id != into.plan_id:
        raise EditRefused("Choose another concept of the same plan.")
    plan = _locked(concept.plan)
    edit = _remember(plan, f"Merge “{concept.name}” into “{into.name}”", [concept, into])
    above, below = _take_links(concept)
    _link(plan, [(into.pk, one) for one in above if one != into.pk])
    _link(plan, [(one, into.pk) for one in below if one != into.pk])
    PlanEdit.objects.filter(pk=edit.pk).update(before=edit.before | _move(concept, into))
    Concept.objects.filter(pk=concept.pk).update(removed_at=timezone.now())
    synonyms = list(dict.fromkeys([*into.synonyms, concept.name, *concept.synonyms]))
    Concept.objects.filter(pk=into.pk).update(synonyms=synonyms, is_edited=True)
    _make_again(plan, into)
    return into


@_in_words()
def split_concept(*, concept: Concept, name: str, sources: Collection[int] = ()) -> Concept:
    """Split a new concept off, which is learnt after this one and takes copies of its sources with these numbers."""
    plan, name = _locked(concept.plan), _name(name)
    edit = _remember(plan, f"Split “{name}” off “{concept.name}”", [concept])
    new = _create(plan, edit, position=concept.position, name=name)
    for source in concept.sources.filter(number__in=sources, is_current=True):
        source.pk, source.concept, source._state.adding = None, new, True
        source.save()
    _link(plan, [(new.pk, concept.pk)])
    return new


@_in_words()
def add_prerequisite(*, concept: Concept, requires: Concept) -> Concept:
    if concept.pk == requires.pk:
        raise EditRefused("A concept is not learnt before itself.")
    plan = _locked(concept.plan)
    _remember(plan, f"Learn “{requires.name}” before “{concept.name}”", [])
    Prerequisite.objects.get_or_create(concept=concept, requires=requires, defaults={"school_id": plan.school_id})
    return concept


@_in_words()
def remove_prerequisite(*, concept: Concept, requires: Concept) -> None:
    _remember(_locked(concept.plan), f"Do not need “{requires.name}” for “{concept.name}”", [])
    Prerequisite.objects.filter(concept=concept, requires=requires).delete()


def last_edit(plan: StudyPlan) -> PlanEdit | None:
    return PlanEdit.objects.filter(plan=plan).first()


@_in_words()
def undo(*, plan: StudyPlan) -> str:
    """Undo the last edit and return what it was. Raises EditRefused if there is none."""
    plan = _locked(plan)
    edit = last_edit(plan)
    if edit is None:
        raise EditRefused("There is nothing to undo.")
    Prerequisite.objects.filter(concept__plan=plan).delete()
    plan.concepts.filter(pk__in=edit.before.get("made", [])).update(removed_at=timezone.now())
    plan.concepts.filter(pk__in=edit.before["concepts"]).update(removed_at=None)
    rows: dict[str, Any] = {"concepts": plan.concepts, "questions": Question.objects.filter(concept__plan=plan)}
    rows["sources"] = ConceptSource.objects.filter(concept__plan=plan)
    for name, found in rows.items():
        for key, fields in edit.before.get(name, {}).items():
            found.filter(pk=key).update(**fields)
    active = {str(key) for key in plan.active_concepts().values_list("pk", flat=True)}
    _link(plan, [(a, b) for a, b in edit.before["links"] if {a, b} <= active])
    edit.delete()
    if plan.status == PlanStatus.READY and plan.active_concepts().unfinished().exists():
        queue_plan(plan)
    return edit.words


def _locked(plan: StudyPlan) -> StudyPlan:
    """The plan, locked so that two edits follow each other. Raises EditRefused if it is gone."""
    found = StudyPlan.objects.select_for_update(no_key=True).filter(pk=plan.pk).first()
    if found is None:
        raise EditRefused("This plan has been deleted meanwhile.")
    return found


def _remember(plan: StudyPlan, words: str, concepts: Any) -> PlanEdit:
    """Store the graph as it is before an edit, with the fields of the concepts that it changes."""
    links = Prerequisite.objects.filter(concept__plan=plan).values_list("concept", "requires")
    before = {
        "links": [[str(concept), str(requires)] for concept, requires in links],
        "concepts": {str(one.pk): {name: getattr(one, name) for name in _FIELDS} for one in concepts},
    }
    edit = PlanEdit.objects.create(school_id=plan.school_id, plan=plan, words=words[:300], before=before)
    old = PlanEdit.objects.filter(plan=plan).values_list("pk", flat=True)[KEPT_EDITS:]
    PlanEdit.objects.filter(pk__in=list(old)).delete()
    StudyPlan.objects.filter(pk=plan.pk).update(updated_at=timezone.now())
    return edit


def _create(plan: StudyPlan, edit: PlanEdit, **fields: object) -> Concept:
    concept = Concept.objects.create(school_id=plan.school_id, plan=plan, is_edited=True, **fields)
    PlanEdit.objects.filter(pk=edit.pk).update(before=edit.before | {"made": [str(concept.pk)]})
    _make_again(plan, concept)
    return concept


def _make_again(plan: StudyPlan, concept: Concept) -> None:
    """Have a worker look for sources of a concept and make questions of it, beside those that it has.

    A plan that was stopped stays so until somebody goes on with it.
    """
    Concept.objects.filter(pk=concept.pk).update(sources_at=None, questions_at=None)
    if plan.status != PlanStatus.STOPPED:
        queue_plan(plan)


def _take_links(concept: Concept) -> tuple[list[UUID], list[UUID]]:
    """Erase the links of a concept; returns what it needed, and what needed it."""
    above, below = Prerequisite.objects.filter(concept=concept), Prerequisite.objects.filter(requires=concept)
    taken = list(above.values_list("requires", flat=True)), list(below.values_list("concept", flat=True))
    (above | below).delete()
    return taken


def _link(plan: StudyPlan, pairs: Collection[tuple[Any, Any]]) -> None:
    rows = [Prerequisite(school_id=plan.school_id, concept_id=a, requires_id=b) for a, b in pairs]
    Prerequisite.objects.bulk_create(rows, ignore_conflicts=True)


def _move(concept: Concept, into: Concept) -> dict[str, dict[str, dict[str, object]]]:
    """Move sources and questions, with new numbers; returns their fields as they were."""
    last = into.sources.aggregate(last=Max("number"))["last"] or 0
    moved: dict[str, dict[str, dict[str, object]]] = {"sources": {}, "questions": {}}
    for source in concept.sources.all():
        moved["sources"][str(source.pk)] = {"concept_id": str(concept.pk), "number": source.number}
        ConceptSource.objects.filter(pk=source.pk).update(concept=into, number=source.number + last)
    for question in concept.questions.all():
        fields = {name: getattr(question, name) for name in ("prompt", "explanation", "source_numbers")}
        moved["questions"][str(question.pk)] = fields | {"concept_id": str(concept.pk)}
        Question.objects.filter(pk=question.pk).update(
            concept=into,
            prompt=_shifted(question.prompt, last),
            explanation=_shifted(question.explanation, last),
            source_numbers=[number + last for number in question.source_numbers],
        )
    return moved


def _shifted(text: str, by: int) -> str:
    return re.sub(r"\[(\d{1,3})\]", lambda found: f"[{int(found[1]) + by}]", text)


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_NAME_LENGTH:
        raise EditRefused(f"Give the concept a name of at most {MAX_NAME_LENGTH} characters.")
    return name


def _definition(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > MAX_DEFINITION_LENGTH:
        raise EditRefused(f"A definition has at most {MAX_DEFINITION_LENGTH:,} characters.")
    return text
