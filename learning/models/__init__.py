"""Rows of learning: plans, concepts, questions and progress."""

from learning.material import MAX_CONCEPTS
from learning.models.plan import (
    Concept,
    ConceptSource,
    PlanEdit,
    PlanStage,
    PlanStatus,
    Prerequisite,
    StudyPlan,
    TutorStyle,
)
from learning.models.progress import Attempt, ConceptProgress, PracticeSession
from learning.models.question import Question, ReviewState

__all__ = [
    "MAX_CONCEPTS",
    "Attempt",
    "Concept",
    "ConceptProgress",
    "ConceptSource",
    "PlanEdit",
    "PlanStage",
    "PlanStatus",
    "PracticeSession",
    "Prerequisite",
    "Question",
    "ReviewState",
    "StudyPlan",
    "TutorStyle",
]
