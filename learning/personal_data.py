"""Personal data of this app: the plans of teachers, and what learners did with them."""

from __future__ import annotations

from collections.abc import Iterator

from chatbots.conversations.export import export_file_name
from learning.exports.plan_json import export_json
from learning.models import Attempt, ConceptProgress, PlanEdit, PracticeSession, StudyPlan
from privacy.registry import File, PersonalData, Rows, declare


def _export_plans(plans: Rows) -> Iterator[File]:
    for number, plan in enumerate(plans, start=1):
        name = export_file_name(plan.title, extension="json", untitled="plan")
        yield f"study-plans/{number:03}-{name}", export_json(plan)


_PRACTISED = {name: name for name in ("given", "verdict", "own_rating")} | {"at": "answered_at"}

declare(
    PersonalData(StudyPlan, user="owner", files=_export_plans),
    PersonalData(PlanEdit, user="plan__owner"),
    PersonalData(PracticeSession, participant="participant"),
    PersonalData(
        Attempt,
        participant="participant",
        guest_file=("practice.json", {"question": "question__prompt", **_PRACTISED}),
    ),
    PersonalData(ConceptProgress, participant="participant"),
)
