"""Read an answer from a form or from JSON, by the kind of its question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from django.utils.datastructures import MultiValueDict

from learning.grading.quantities import parse_quantity
from learning.material import QuestionKind
from learning.models import Question

MAX_ANSWER_LENGTH = 2000
"""Characters of a written answer."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")  # PostgreSQL stores neither NUL nor half characters
_TRUTHS = {"true": True, "false": False}


class AnswerRefused(Exception):
    """An answer that cannot be graded; the message says why."""


def read_given(question: Question, data: MultiValueDict[str, str]) -> object:
    """What was answered in a form, as `clean_given` takes it.

    In the form, steps have places from 1; an answer has the steps by place. It is empty unless every place is taken.
    """
    several = data.getlist("given")
    if question.kind == QuestionKind.ORDER:
        return [str(index) for index in _by_place(several, len(question.options))]
    if question.kind in (QuestionKind.SEVERAL, QuestionKind.MATCH):
        return several
    return several[-1] if several else ""


def build_fields(question: Question, data: MultiValueDict[str, str]) -> dict[str, object]:
    """What the fields of an answer show: the options, and what was chosen or typed before it was refused."""
    typed = data.getlist("given")
    chosen = [str(str(index) in typed) for index in range(len(question.options))]
    if question.kind in (QuestionKind.ORDER, QuestionKind.MATCH):
        chosen = [*typed, *[""] * len(question.options)]
    rows = [{"index": index, "text": text, "chosen": chosen[index]} for index, text in enumerate(question.options)]
    places = range(1, len(rows) + 1)
    return {"question": question, "options": rows, "places": places, "typed": typed[0] if typed else ""}


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
            return sorted(set(_indexes(raw, len(question.options), "Choose at least one of the options.")))
        case QuestionKind.TRUTH:
            value = _TRUTHS.get(raw.strip().lower()) if isinstance(raw, str) else raw
            if not isinstance(value, bool):
                raise AnswerRefused("Choose true or false.")
            return value
        case QuestionKind.ORDER:
            words = "Put all of the steps in order, each of them once."
            order = _indexes(raw, len(question.options), words)
            if sorted(order) != list(range(len(question.options))):
                raise AnswerRefused(words)
            return order
        case QuestionKind.MATCH:
            words = "Choose a partner for each of them."
            pairs = _indexes(raw, len(question.targets), words)
            if len(pairs) != len(question.options):
                raise AnswerRefused(words)
            return pairs
        case QuestionKind.NUMBER:
            return _number(raw)
        case QuestionKind.CLOZE | QuestionKind.SHORT:
            return _text(raw)


def _index(raw: object, among: int, refusal: str) -> int:
    index = int(raw) if isinstance(raw, str) and raw.strip().isdecimal() and len(raw) < 9 else raw
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < among:
        return index
    raise AnswerRefused(refusal)


def _indexes(raw: object, among: int, refusal: str) -> list[int]:
    if isinstance(raw, Sequence) and not isinstance(raw, str) and raw:
        return [_index(one, among, refusal) for one in raw]
    raise AnswerRefused(refusal)


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


def _by_place(places: list[str], steps: int) -> list[int]:
    wanted = [str(place) for place in range(1, steps + 1)]
    return [places.index(place) for place in wanted] if sorted(places) == sorted(wanted) else []
