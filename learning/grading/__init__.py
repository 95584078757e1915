"""Judge an answer to a practice question against its source. Pure; it imports no models."""

from learning.grading.grade_answer import GradedQuestion, grade

__all__ = ["GradedQuestion", "grade"]
