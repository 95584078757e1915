"""Personal data of this app: the plans of teachers, and what learners did with them."""

from __future__ import annotations

from learning.models import (
    Attempt,
    Concept,
    ConceptProgress,
    ConceptSource,
    PlanEdit,
    PracticeSession,
    Prerequisite,
    Question,
    StudyPlan,
)
from privacy.registry import PersonalData, declare

_PRACTISED = {name: name for name in ("given", "verdict", "own_rating")} | {"at": "answered_at"}

declare(
    PersonalData(StudyPlan, user="owner"),
    PersonalData(Concept, user="plan__owner"),
    PersonalData(Prerequisite, user="concept__plan__owner"),
    PersonalData(ConceptSource, user="concept__plan__owner"),
    PersonalData(Question, user="concept__plan__owner"),
    PersonalData(PlanEdit, user="plan__owner"),
    PersonalData(PracticeSession, participant="participant"),
    PersonalData(
        Attempt, participant="participant", guest_file=("practice.json", {"question": "question__prompt", **_PRACTISED})
    ),
    PersonalData(ConceptProgress, participant="participant"),
)
