"""Study plans for tests."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from chatbots.models import Chatbot
from learning.models import Concept, ConceptSource, PlanStatus, Prerequisite, Question, StudyPlan
from schools.models import Membership

RIVERS = """# Rivers

## Erosion

Erosion is the wearing away of the bed and banks of a river by moving water. Fast water erodes more than slow water,
because it carries larger stones.

Abrasion is erosion by stones that the river drags along its bed. The stones scrape the bed like sandpaper.

Attrition is the wearing down of stones that knock against each other. It makes them smaller and rounder.

## Transport

Load is the material that a river carries. The load of a fast river is larger than the load of a slow one.

Traction is the rolling of large stones along the bed. It needs the most energy of all kinds of transport.

Saltation is the bouncing of small stones along the bed. A stone that lands lifts the next one.

## Deposition

Deposition is the laying down of load where a river slows down. The largest stones are dropped first.

A meander is a bend in the middle course of a river. Erosion on the outer bank and deposition on the inner bank make the
bend grow.

A delta is a plain of deposition at the mouth of a river. It forms where the sea does not carry the load away.
"""


def make_plan(member: Membership, *names: str, **fields: Any) -> StudyPlan:
    """A finished plan with these concepts, each with one source and one question."""
    tutor = Chatbot.objects.create(school=member.school, owner=member.user, name="Rivers", is_tutor=True)
    values = {"title": "Rivers", "status": PlanStatus.READY, "shows_unreviewed": True} | fields
    plan = StudyPlan.objects.create(school=member.school, owner=member.user, tutor=tutor, **values)
    for name in names or ("Erosion", "Abrasion", "Deposition"):
        add(plan, name)
    return plan


def add(plan: StudyPlan, name: str, **fields: Any) -> Concept:
    """A concept at the end of the plan."""
    text = f"{name} is what a river does. It can be seen on every bank."
    values = {"definition": f"{name} is what a river does.", "definition_source": 1} | fields
    concept = Concept.objects.create(
        school_id=plan.school_id, plan=plan, position=plan.concepts.count(), name=name, **values
    )
    ConceptSource.objects.create(
        school_id=plan.school_id,
        concept=concept,
        number=1,
        kind="personal",
        document_id=uuid4(),
        version=1,
        document_title="Rivers",
        heading_path=["Rivers", name],
        excerpt=text,
        text=text,
    )
    Question.objects.create(
        school_id=plan.school_id,
        concept=concept,
        kind="cloze",
        prompt="____ is what a river does. [1]",
        answer={"accepted": [name]},
        explanation=f"{name} is what a river does. [1]",
        source_numbers=[1],
    )
    return concept


def add_questions(plan: StudyPlan, count: int = 8) -> None:
    """So many more questions about the first concept: with eight a plan is offered to classes."""
    concept = plan.concepts.earliest("position")
    for number in range(count):
        Question.objects.create(
            school_id=plan.school_id,
            concept=concept,
            kind="cloze",
            prompt=f"{number}: ____ is what a river does. [1]",
            answer={"accepted": [concept.name]},
            explanation=f"{concept.name} is what a river does. [1]",
            source_numbers=[1],
        )


def link(concept: Concept, requires: Concept) -> Prerequisite:
    return Prerequisite.objects.create(school_id=concept.school_id, concept=concept, requires=requires)


def links(plan: StudyPlan) -> set[tuple[str, str]]:
    """(concept, what it requires) by name."""
    found = Prerequisite.objects.filter(concept__plan=plan)
    return set(found.values_list("concept__name", "requires__name"))


def names(plan: StudyPlan) -> list[str]:
    return list(plan.active_concepts().order_by("position", "pk").values_list("name", flat=True))
