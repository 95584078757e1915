"""The base of the views: how they reach plans, and how refusals become problems."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from rest_framework.response import Response

from learning.material import ValuesRefused
from learning.models import Concept, Question, StudyPlan
from learning.planning.editing import EditRefused
from learning.practice.answering import AnswerRefused
from rest.problems import Problem
from rest.views import MemberView


class PlanView(MemberView):
    """A route about a plan, a concept or a question of the member; 404 for those of others.

    What a service refuses is a problem, by field where it says so, else under `refused`.
    """

    refused: ClassVar[str] = "name"
    tags: ClassVar[list[str]] = ["learning"]

    def handle_exception(self, exc: Exception) -> Response:
        match exc:
            case ValuesRefused():
                errors = {_FIELDS.get(field, field): [words] for field, words in exc.reasons.items()}
                exc = Problem(400, str(exc), errors=errors)
            case EditRefused() | AnswerRefused():
                exc = Problem(400, str(exc), errors={self.refused: [str(exc)]})
        return super().handle_exception(exc)

    def find_plan(self, pk: UUID, *, lock: bool = False) -> StudyPlan:
        plans = StudyPlan.objects.for_member(self.member)
        plans = plans.select_for_update(no_key=True, of=("self",)) if lock else plans
        return self.find(plans.select_related("tutor", "school"), pk)

    def find_concept(self, pk: UUID, **of: object) -> Concept:
        return self.find(Concept.objects.for_member(self.member).filter(**of).select_related("plan"), pk)

    def find_question(self, pk: UUID) -> Question:
        questions = Question.objects.for_member(self.member)
        return self.find(questions.select_related("concept__plan__school"), pk)


_FIELDS = {"": "request", "subject": "library.subject"}
