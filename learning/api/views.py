"""The base of the views: how they reach plans, and how refusals become problems."""

from __future__ import annotations

from uuid import UUID

from learning.models import Concept, Question, StudyPlan
from learning.planning.editing import EditRefused
from learning.planning.services import PlanRefused
from rest.problems import Problem
from rest.views import MemberView

TAGS = ["learning"]


class PlanView(MemberView):
    """A route about a plan, a concept or a question of the member; 404 for those of others."""

    def find_plan(self, pk: UUID, *, lock: bool = False) -> StudyPlan:
        plans = StudyPlan.objects.for_member(self.member)
        plans = plans.select_for_update(no_key=True, of=("self",)) if lock else plans
        return self.find(plans.select_related("tutor", "school"), pk)

    def find_concept(self, pk: UUID, **of: object) -> Concept:
        return self.find(Concept.objects.for_member(self.member).filter(**of).select_related("plan"), pk)

    def find_question(self, pk: UUID) -> Question:
        questions = Question.objects.for_member(self.member)
        return self.find(questions.select_related("concept__plan__school"), pk)


def plan_problem(reason: PlanRefused) -> Problem:
    """The refusal of a plan, by field."""
    errors = {_FIELDS.get(field, field): [words] for field, words in reason.reasons.items()}
    return Problem(400, str(reason), errors=errors)


def edit_problem(reason: EditRefused, field: str) -> Problem:
    """The refusal of an edit, under the field that caused it."""
    return Problem(400, str(reason), errors={field: [str(reason)]})


_FIELDS = {"": "request", "subject": "library.subject"}
