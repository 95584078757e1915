"""Why a question cannot be asked, by field: what its parts must be, whoever wrote it. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from chatbots.citations.markers import list_cited_numbers
from learning.material import DraftQuestion, QuestionKind
from learning.questions.wording import GAP

MAX_OPTIONS, MAX_OPTION_LENGTH = 12, 1000
MAX_PROMPT_LENGTH, MAX_EXPLANATION_LENGTH = 2000, 4000
MAX_TOLERANCE = 0.5

_CHOOSES = (QuestionKind.SINGLE, QuestionKind.SEVERAL, QuestionKind.ORDER, QuestionKind.MATCH)


def find_faults(question: DraftQuestion, sources: Collection[int]) -> dict[str, str]:
    """Return why a question cannot be asked, by field. `sources` are the numbers that it may cite."""
    reasons = _text_reasons(question.prompt, question.explanation, sources) | _option_reasons(question)
    if not is_storable(question.answer):
        reasons["answer"] = "This is no answer of any kind of question."
    elif reason := _answer_reason(question):
        reasons["answer"] = reason
    return reasons


def is_storable(value: object, depth: int = 3) -> bool:
    """Whether the database can store a JSON value: shallow, with texts of whole characters and numbers of its range."""
    match value:
        case str():
            return "\x00" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)
        case list():
            return depth > 0 and all(is_storable(one, depth - 1) for one in value)
        case dict():
            return depth > 0 and all(is_storable(key) and is_storable(one, depth - 1) for key, one in value.items())
        case int() | float():
            return -1e300 < value < 1e300
        case _:
            return value is None


def _text_reasons(prompt: str, explanation: str, sources: Collection[int]) -> dict[str, str]:
    reasons = {}
    if not prompt.strip():
        reasons["prompt"] = "Write the question."
    elif len(prompt) > MAX_PROMPT_LENGTH:
        reasons["prompt"] = f"A question has at most {MAX_PROMPT_LENGTH} characters."
    cited = list_cited_numbers(explanation)
    unknown = sorted((cited | list_cited_numbers(prompt)) - set(sources))
    if not explanation:
        reasons["explanation"] = "Write an explanation that cites a source, such as [1]."
    elif len(explanation) > MAX_EXPLANATION_LENGTH:
        reasons["explanation"] = f"An explanation has at most {MAX_EXPLANATION_LENGTH} characters."
    elif unknown:
        reasons["explanation"] = f"There is no source {', '.join(f'[{number}]' for number in unknown)}."
    elif not cited:
        reasons["explanation"] = "Cite a source in the explanation, such as [1]."
    return reasons


def _option_reasons(question: DraftQuestion) -> dict[str, str]:
    fields = {
        "options": _list_reason(question.options, "option", is_needed=question.kind in _CHOOSES),
        "targets": _list_reason(question.targets, "partner", is_needed=question.kind == QuestionKind.MATCH),
    }
    return {field: reason for field, reason in fields.items() if reason}


def _list_reason(options: Sequence[str], noun: str, *, is_needed: bool) -> str:
    if not is_needed:
        return f"This kind of question has no {noun}s." if options else ""
    if len(options) < 2:
        return f"Write at least two {noun}s."
    if len(options) > MAX_OPTIONS:
        return f"Write at most {MAX_OPTIONS} {noun}s."
    if not all(options):
        return f"No {noun} may be empty."
    if any(len(one) > MAX_OPTION_LENGTH for one in options):
        return f"Each {noun} has at most {MAX_OPTION_LENGTH} characters."
    flat = [" ".join(one.casefold().split()) for one in options]
    twice = next((one for one, text in zip(options, flat, strict=True) if flat.count(text) > 1), None)
    return f"“{twice}” is there twice." if twice else ""


def _answer_reason(question: DraftQuestion) -> str:
    """Why learners could not be graded by the answer, "" if they can."""
    kind, answer, among = question.kind, question.answer, len(question.options)
    match kind:
        case QuestionKind.CLOZE:
            return _cloze_reason(question.prompt, answer.get("accepted"))
        case QuestionKind.NUMBER:
            return _number_reason(answer)
        case QuestionKind.TRUTH if not isinstance(answer.get("value"), bool):
            return "Say whether the statement is true or false."
        case QuestionKind.SINGLE:
            is_whole = _are_indexes([answer.get("correct")], among)
        case QuestionKind.SEVERAL:
            is_whole = _are_indexes(answer.get("correct"), among) and bool(answer["correct"])
            is_whole = is_whole and len(answer["correct"]) == len(set(answer["correct"]))
        case QuestionKind.ORDER:
            is_whole = _are_indexes(answer.get("order"), among) and sorted(answer["order"]) == list(range(among))
        case QuestionKind.MATCH:
            is_whole = _are_indexes(answer.get("pairs"), len(question.targets)) and len(answer["pairs"]) == among
        case QuestionKind.TRUTH | QuestionKind.SHORT:
            is_whole = _is_text(answer.get("reason" if kind == QuestionKind.TRUTH else "reference"))
    return "" if is_whole else _MISSING[kind]


_MISSING = {
    QuestionKind.SINGLE: "Mark exactly one option as right.",
    QuestionKind.SEVERAL: "Mark at least one option as right, and none twice.",
    QuestionKind.ORDER: "The right order names each step once.",
    QuestionKind.MATCH: "Give each option its partner.",
    QuestionKind.TRUTH: "Write the true sentence as the reason.",
    QuestionKind.SHORT: "Write a model answer.",
}


def _cloze_reason(prompt: str, accepted: object) -> str:
    if prompt.count(GAP) != 1:
        return f"The question needs exactly one gap, written {GAP}."
    if not isinstance(accepted, list) or not accepted or not all(map(_is_text, accepted)):
        return "Write the word that belongs in the gap."
    return "" if len(accepted) <= 50 else "Give at most 50 words for the gap."


def _number_reason(answer: Mapping[str, Any]) -> str:
    value, tolerance, unit = answer.get("value"), answer.get("tolerance", 0.0), answer.get("unit", "")
    if not _is_number(value):
        return "Write the right number."
    if not _is_number(tolerance) or not 0 <= tolerance <= MAX_TOLERANCE:
        return f"The tolerance is a share between 0 and {MAX_TOLERANCE}, such as 0.02."
    return "" if unit == "" or _is_text(unit) else "The unit is a text, or empty."


def _are_indexes(values: object, among: int) -> bool:
    return isinstance(values, list | tuple) and all(type(one) is int and 0 <= one < among for one in values)


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(cast("float", value))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= MAX_EXPLANATION_LENGTH
