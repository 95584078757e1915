"""Grade an answer by the kind of its question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from chatbots.passages import NumberedPassage
from engines.llm import LLM
from learning.grading.choices import grade_match, grade_order, grade_several, grade_single, grade_truth
from learning.grading.cloze import grade_cloze
from learning.grading.quantities import grade_number
from learning.grading.short_answers import grade_short
from learning.material import Grade, GradedQuestion, QuestionKind


def grade(
    question: GradedQuestion,
    given: Any,
    passages: Sequence[NumberedPassage],
    *,
    language: str,
    llm: LLM | None = None,
    other_names: Collection[str] = (),
) -> Grade:
    """Return the verdict on an answer, with feedback that cites the numbers of the explanation.

    `given` is as `learning.practice.given.clean_given` returns it. Short answers alone need `passages`, the numbered
    sources, and use `llm`. `other_names` are names of other concepts: none of them is a slip of the pen for the word in
    a gap.
    """
    match QuestionKind(question.kind):
        case QuestionKind.SINGLE:
            return grade_single(question, given)
        case QuestionKind.SEVERAL:
            return grade_several(question, given)
        case QuestionKind.TRUTH:
            return grade_truth(question, given)
        case QuestionKind.ORDER:
            return grade_order(question, given)
        case QuestionKind.MATCH:
            return grade_match(question, given)
        case QuestionKind.NUMBER:
            return grade_number(question, given, language=language)
        case QuestionKind.CLOZE:
            return grade_cloze(question, given, language=language, other_names=other_names)
        case QuestionKind.SHORT:
            return grade_short(question, given, passages, language=language, llm=llm)
