"""Personal data of this app: the plans of teachers, and what learners did with them."""

from __future__ import annotations

from learning import models
from privacy.registry import PersonalData, declare

_PRACTISED = {name: name for name in ("given", "verdict", "own_rating")} | {"at": "answered_at"}
_GUEST_FILE = ("practice.json", {"question": "question__prompt", **_PRACTISED})

declare(
    PersonalData(models.StudyPlan, user="owner"),
    PersonalData(models.Concept, user="plan__owner"),
    PersonalData(models.Prerequisite, user="concept__plan__owner"),
    PersonalData(models.ConceptSource, user="concept__plan__owner"),
    PersonalData(models.Question, user="concept__plan__owner"),
    PersonalData(models.PlanEdit, user="plan__owner"),
    PersonalData(models.PracticeSession, participant="participant"),
    PersonalData(models.Attempt, participant="participant", guest_file=_GUEST_FILE),
    PersonalData(models.ConceptProgress, participant="participant"),
)
