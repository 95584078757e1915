"""Study plans with concepts, sources and questions of all kinds, and learners, for tests of practice and review."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F

from chatbots.models import Participant
from learning.models import (
    Attempt,
    Concept,
    ConceptProgress,
    ConceptSource,
    PracticeSession,
    Prerequisite,
    Question,
    ReviewState,
    StudyPlan,
)
from schools.models import Membership
from tests.factories import make_chatbot

ACID = "An acid gives away protons. A base takes up protons. Hydrochloric acid has a pH of 1."


def make_plan(owner: Membership, **fields: Any) -> StudyPlan:
    """A plan without concepts."""
    tutor = make_chatbot(owner, name="Tutor")
    values = {"title": "Acids", "status": "ready", "shows_unreviewed": True} | fields
    return StudyPlan.objects.create(school=owner.school, owner=owner.user, tutor=tutor, **values)


def make_concept(plan: StudyPlan, name: str, *requires: Concept) -> Concept:
    """A concept with one source, the last in the order of teaching."""
    concept = Concept.objects.create(school=plan.school, plan=plan, name=name, position=plan.concepts.count())
    make_source(concept, 1)
    for other in requires:
        Prerequisite.objects.create(school=plan.school, concept=concept, requires=other)
    return concept


def make_source(concept: Concept, number: int, text: str = ACID, **fields: Any) -> ConceptSource:
    """A source without a document."""
    return ConceptSource.objects.create(
        school=concept.school,
        concept=concept,
        number=number,
        kind="live",
        document_title="Acids",
        address="https://en.wikipedia.org/wiki/Acid",
        external_id=f"{concept.name} {number}",
        excerpt=text,
        text=text,
        **fields,
    )


KINDS: dict[str, dict[str, Any]] = {
    "single": {"options": ["protons", "neutrons", "electrons"], "answer": {"correct": 0}},
    "several": {"options": ["vinegar", "lemon", "soap", "lye"], "answer": {"correct": [0, 1]}},
    "cloze": {"prompt": "An acid gives away ____.", "answer": {"accepted": ["protons"]}},
    "truth": {"answer": {"value": True, "reason": "An acid gives away protons."}},
    "number": {"answer": {"value": 2.5, "unit": "km", "tolerance": 0.02}},
    "order": {"options": ["pour", "stir", "measure"], "answer": {"order": [0, 1, 2]}},
    "match": {"options": ["acid", "base"], "targets": ["gives", "takes"], "answer": {"pairs": [0, 1]}},
    "short": {"answer": {"reference": "An acid gives away protons."}},
}
RIGHT: dict[str, Any] = {
    "single": 0, "several": [0, 1], "cloze": "protons", "truth": True, "number": "2.5 km", "order": [0, 1, 2],
    "match": [0, 1], "short": "An acid gives away protons.",
}  # fmt: skip
WRONG: dict[str, Any] = {
    "single": 1, "several": [2], "cloze": "neutrons", "truth": False, "number": "9 km", "order": [2, 1, 0],
    "match": [1, 0], "short": "An acid is a kind of bird.",
}  # fmt: skip


def make_question(concept: Concept, kind: str = "single", **fields: Any) -> Question:
    """An approved question that cites the first source."""
    return Question.objects.create(
        school=concept.school,
        concept=concept,
        kind=kind,
        **(
            {
                "prompt": f"What about {concept.name}?",
                "explanation": "An acid gives away protons [1].",
                "source_numbers": [1],
                "review": ReviewState.APPROVED,
            }
            | KINDS[kind]
            | fields
        ),
    )


def without_account(member: Membership) -> Participant:
    """A pupil of the same school who has no account."""
    return Participant.objects.create(school=member.school)


def let_pass(participant: Participant, time: timedelta) -> None:
    """Make everything that a learner did so much longer ago."""
    Attempt.objects.filter(participant=participant).update(answered_at=F("answered_at") - time)
    PracticeSession.objects.filter(participant=participant).update(started_at=F("started_at") - time)
    for row in ConceptProgress.objects.filter(participant=participant):
        for name in ("due", "last_review"):
            row.card[name] = (datetime.fromisoformat(row.card[name]) - time).isoformat() if row.card[name] else None
        row.due_at -= time
        row.save()
