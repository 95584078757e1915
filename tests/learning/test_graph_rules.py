"""What the database holds of a plan's graph, whatever the code does (G1)."""

import pytest
from django.db import IntegrityError, transaction

from learning.models import MAX_CONCEPTS, Concept, Prerequisite, StudyPlan
from tests.factories import Cast
from tests.learning.plans import add, link, make_plan


def by_name(plan: StudyPlan) -> dict[str, Concept]:
    return {concept.name: concept for concept in plan.concepts.all()}


def test_a_circle_of_two_is_refused(people: Cast) -> None:
    found = by_name(make_plan(people.alice))
    link(found["Abrasion"], found["Erosion"])
    with pytest.raises(IntegrityError, match="no circle"), transaction.atomic():
        link(found["Erosion"], found["Abrasion"])


def test_a_circle_of_three_is_refused_also_by_a_change(people: Cast) -> None:
    found = by_name(make_plan(people.alice))
    link(found["Abrasion"], found["Erosion"])
    last = link(found["Deposition"], found["Abrasion"])
    with pytest.raises(IntegrityError, match="no circle"), transaction.atomic():
        link(found["Erosion"], found["Deposition"])
    with pytest.raises(IntegrityError, match="no circle"), transaction.atomic():
        Prerequisite.objects.filter(pk=last.pk).update(concept=found["Erosion"])


def test_a_concept_is_no_prerequisite_of_itself(people: Cast) -> None:
    found = by_name(make_plan(people.alice))
    with pytest.raises(IntegrityError), transaction.atomic():
        link(found["Erosion"], found["Erosion"])


def test_both_are_of_the_same_plan(people: Cast) -> None:
    here, there = by_name(make_plan(people.alice)), by_name(make_plan(people.alice))
    with pytest.raises(IntegrityError, match="same plan"), transaction.atomic():
        link(here["Erosion"], there["Abrasion"])


def test_a_plan_has_at_most_sixty_concepts(people: Cast) -> None:
    plan = make_plan(people.alice, *(f"Concept {n}" for n in range(MAX_CONCEPTS)))
    with pytest.raises(IntegrityError, match="at most 60"), transaction.atomic():
        add(plan, "One more")
    removed = plan.concepts.first()
    assert removed
    Concept.objects.filter(pk=removed.pk).update(removed_at=plan.created_at)
    add(plan, "One more")
    with pytest.raises(IntegrityError, match="at most 60"), transaction.atomic():
        Concept.objects.filter(pk=removed.pk).update(removed_at=None)


def test_a_name_stands_once_in_a_plan_whatever_its_case(people: Cast) -> None:
    plan = make_plan(people.alice)
    with pytest.raises(IntegrityError), transaction.atomic():
        add(plan, "EROSION")
