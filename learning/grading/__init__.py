"""Judge an answer to a practice question against its source. Pure; it imports no models."""

from learning.grading.grade_answer import grade

__all__ = ["grade"]
