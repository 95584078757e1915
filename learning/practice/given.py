"""Read an answer from a form or from JSON, by the kind of its question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from learning.grading.numbers import parse_quantity
from learning.material import QuestionKind
from learning.models import Question

MAX_ANSWER_LENGTH = 2000
"""Characters of a written answer."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")  # PostgreSQL stores neither NUL nor half characters
_TRUTHS = {"true": True, "false": False}


class AnswerRefused(Exception):
    """An answer that cannot be graded; the message says why."""


def clean_given(question: Question, raw: object) -> object:
    """Return an answer as `Attempt.given` stores it. Raises AnswerRefused.

    - single: index of an option · several: sorted indexes · truth: bool
    - cloze, short, number: the text as typed; a number keeps its unit
    - order: all indexes of the options in the order chosen · match: index of a target for each option

    Indexes may be strings of digits, as forms send them, a truth value "true" or "false".
    """
    match QuestionKind(question.kind):
        case QuestionKind.SINGLE:
            return _index(raw, len(question.options), "Choose one of the options.")
        case QuestionKind.SEVERAL:
            words = "Choose at least one of the options."
            return sorted({_index(one, len(question.options), words) for one in _several(raw, words)})
        case QuestionKind.TRUTH:
            value = _TRUTHS.get(raw.strip().lower()) if isinstance(raw, str) else raw
            if not isinstance(value, bool):
                raise AnswerRefused("Choose true or false.")
            return value
        case QuestionKind.ORDER:
            return _order(raw, len(question.options))
        case QuestionKind.MATCH:
            return _pairs(raw, len(question.options), len(question.targets))
        case QuestionKind.NUMBER:
            return _number(raw)
        case QuestionKind.CLOZE | QuestionKind.SHORT:
            return _text(raw)


def _index(raw: object, among: int, refusal: str) -> int:
    index = int(raw) if isinstance(raw, str) and raw.strip().isdecimal() and len(raw) < 9 else raw
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < among:
        return index
    raise AnswerRefused(refusal)


def _several(raw: object, refusal: str) -> Sequence[object]:
    if isinstance(raw, Sequence) and not isinstance(raw, str) and raw:
        return list(raw)
    raise AnswerRefused(refusal)


def _order(raw: object, among: int) -> list[int]:
    words = "Put all of the steps in order, each of them once."
    order = [_index(one, among, words) for one in _several(raw, words)]
    if sorted(order) != list(range(among)):
        raise AnswerRefused(words)
    return order


def _pairs(raw: object, options: int, targets: int) -> list[int]:
    words = "Choose a partner for each of them."
    pairs = [_index(one, targets, words) for one in _several(raw, words)]
    if len(pairs) != options:
        raise AnswerRefused(words)
    return pairs


def _number(raw: object) -> str:
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        if not math.isfinite(raw):
            raise AnswerRefused("Write a number.")
        raw = repr(raw)
    text = _text(raw, refusal="Write a number, with its unit if it has one.")
    if parse_quantity(text) is None:
        raise AnswerRefused("Write a number, with its unit if it has one, such as 2.5 km.")
    return text


def _text(raw: object, *, refusal: str = "Write an answer.") -> str:
    if not isinstance(raw, str):
        raise AnswerRefused(refusal)
    text = _CONTROL.sub("", raw.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not text:
        raise AnswerRefused(refusal)
    if len(text) > MAX_ANSWER_LENGTH:
        raise AnswerRefused(f"An answer has at most {MAX_ANSWER_LENGTH} characters; this one has {len(text)}.")
    return text
