"""Grade an answer by the kind of its question; those that choose exactly."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

from chatbots.citations.markers import strip_markers
from chatbots.passages import NumberedPassage
from engines.llm import LLM
from learning.grading.quantities import grade_number
from learning.grading.short_answers import grade_cloze, grade_short
from learning.material import Grade, GradedQuestion, QuestionKind, grade_by_share, join_texts, quote_text


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

    `given` is as `clean_given` of `learning.practice.answering` returns it. Short answers alone need `passages`, the
    numbered sources, and use `llm`. `other_names` are names of other concepts: none of them is a slip of the pen for
    the word in a gap.
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


def grade_single(question: GradedQuestion, given: int) -> Grade:
    correct = question.answer["correct"]
    said = [] if given == correct else [f"The answer is {quote_text(question.options[correct])}."]
    return grade_by_share(float(given == correct), said, question.explanation)


def grade_several(question: GradedQuestion, given: Sequence[int]) -> Grade:
    """The share is that of right options that were chosen, minus one for each wrong one."""
    correct, chosen = set(question.answer["correct"]), set(given)
    missed = [question.options[index] for index in sorted(correct - chosen)]
    wrong = [question.options[index] for index in sorted(chosen - correct)]
    said = [f"You chose {len(chosen & correct)} of the {len(correct)} right ones."] if missed or wrong else []
    said += [f"Missing: {join_texts(missed)}."] if missed else []
    said += [f"Does not belong: {join_texts(wrong)}."] if wrong else []
    share = (len(chosen & correct) - len(wrong)) / len(correct)
    return grade_by_share(max(share, 0.0), said, question.explanation)


def grade_truth(question: GradedQuestion, given: bool) -> Grade:
    """Right or wrong. The reason is given in both cases: a guess is right every other time."""
    value = question.answer["value"]
    reason = strip_markers(str(question.answer.get("reason", ""))).strip()
    said = [] if given == value else [f"The statement is {'true' if value else 'false'}."]
    return grade_by_share(float(given == value), [*said, *([reason] if reason else [])], question.explanation)


def grade_order(question: GradedQuestion, given: Sequence[int]) -> Grade:
    """The share is that of all pairs of steps that stand in the right order; half of them do by chance."""
    order = list(question.answer["order"])
    place = {option: index for index, option in enumerate(given)}
    pairs = list(combinations(order, 2))
    in_order = sum(place[first] < place[second] for first, second in pairs)
    said = []
    if in_order < len(pairs):
        steps = " → ".join(quote_text(question.options[index]) for index in order)
        said = [f"{in_order} of {len(pairs)} pairs of steps are in order.", f"The order is {steps}."]
    return grade_by_share(in_order / (len(pairs) or 1), said, question.explanation, chance=0.5)


def grade_match(question: GradedQuestion, given: Sequence[int]) -> Grade:
    """The share is that of options with their own partner; one of them finds it by chance."""
    pairs = list(question.answer["pairs"])
    wrong = [index for index, target in enumerate(pairs) if given[index] != target]
    said = []
    if wrong:
        belong = "; ".join(
            f"{quote_text(question.options[n])} – {quote_text(question.targets[pairs[n]])}" for n in wrong
        )
        said = [f"{len(pairs) - len(wrong)} of {len(pairs)} pairs are right.", f"These belong together: {belong}."]
    return grade_by_share((len(pairs) - len(wrong)) / len(pairs), said, question.explanation, chance=1 / len(pairs))
