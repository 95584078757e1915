"""The form of a question, as a learner sends it."""

from __future__ import annotations

from django.utils.datastructures import MultiValueDict

from learning.material import QuestionKind
from learning.models import Question


def read_given(question: Question, data: MultiValueDict[str, str]) -> object:
    """What was answered, as `learning.practice.given.clean_given` takes it.

    In the form, steps have places from 1; an answer has the steps by place. It is empty unless every place is taken.
    """
    several = data.getlist("given")
    if question.kind == QuestionKind.ORDER:
        return [str(index) for index in _by_place(several, len(question.options))]
    if question.kind in (QuestionKind.SEVERAL, QuestionKind.MATCH):
        return several
    return several[-1] if several else ""


def _by_place(places: list[str], steps: int) -> list[int]:
    wanted = [str(place) for place in range(1, steps + 1)]
    return [places.index(place) for place in wanted] if sorted(places) == sorted(wanted) else []
