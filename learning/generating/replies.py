"""Read the reply of a language model: concepts and their questions as one JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from chatbots.citations.markers import list_cited_numbers
from learning.material import DraftQuestion, QuestionKind
from learning.questions.wording import TOLERANCE, shuffle

_FORBIDDEN = re.compile(r"https?:|<[a-z/!]|[\x00-\x08\x0e-\x1f\ud800-\udfff]", re.IGNORECASE)


@dataclass(frozen=True)
class WrittenConcept:
    """A concept as a model gave it: `number` is that of the passage that defines it."""

    name: str
    number: int
    definition: str
    synonyms: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    questions: tuple[DraftQuestion, ...] = ()


def read_concepts(reply: str, made_by: str) -> list[WrittenConcept] | None:
    """Return the concepts of a reply, with questions made by the model of this name; None if it is no such JSON."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        items = json.loads(reply[start : end + 1])["concepts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(items, list):
        return None
    return [concept for item in items if isinstance(item, dict) and (concept := _read_concept(item, made_by))]


def _read_concept(item: Mapping[str, Any], made_by: str) -> WrittenConcept | None:
    name, definition, number = item.get("name"), item.get("definition"), item.get("source")
    if isinstance(number, str) and re.fullmatch(r"\[?\d{1,6}\]?", number):
        number = int(number.strip("[]"))
    if not (isinstance(name, str) and isinstance(definition, str) and isinstance(number, int)):
        return None
    if _FORBIDDEN.search(name):
        return None
    synonyms, needs = ([one for one in _list(item, part) if isinstance(one, str)] for part in ("synonyms", "needs"))
    questions = [question for one in _list(item, "questions") if (question := read_question(one, made_by))]
    name, definition = " ".join(name.split()), " ".join(definition.split())
    return WrittenConcept(name, number, definition, tuple(synonyms), tuple(needs), tuple(questions))


def read_question(item: object, made_by: str = "") -> DraftQuestion | None:
    """Return a question, None if it has not the parts of its kind. `find_faults` says whether it can be asked."""
    try:
        found = _clean(item)
        kind = QuestionKind(found["kind"])
        options, targets, answer = _read_parts(kind, found)
        texts = [found["prompt"], found["explanation"], *options, *targets]
        if not all(isinstance(one, str) for one in texts):
            return None
        numbers = tuple(sorted(list_cited_numbers(found["explanation"])))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return None
    return DraftQuestion(kind, found["prompt"], answer, found["explanation"], numbers, options, targets, made_by)


_Parts = tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any]]


def _read_parts(kind: QuestionKind, found: Mapping[str, Any]) -> _Parts:
    match kind:
        case QuestionKind.SINGLE | QuestionKind.SEVERAL:
            return tuple(_list(found, "options")), (), {"correct": found["correct"]}
        case QuestionKind.CLOZE:
            return (), (), {"accepted": found["accepted"]}
        case QuestionKind.TRUTH:
            return (), (), {"value": found["value"], "reason": found["reason"]}
        case QuestionKind.NUMBER:
            return (), (), {"value": found["value"], "unit": found.get("unit", ""), "tolerance": TOLERANCE}
        case QuestionKind.ORDER:
            options = _mix(found["steps"])
            return options, (), {"order": [options.index(step) for step in found["steps"]]}
        case QuestionKind.MATCH:
            targets = _mix([meaning for _, meaning in found["pairs"]])
            pairs = [targets.index(meaning) for _, meaning in found["pairs"]]
            return tuple(term for term, _ in found["pairs"]), targets, {"pairs": pairs}
        case QuestionKind.SHORT:
            return (), (), {"reference": found["reference"]}


def _list(found: Mapping[str, Any], name: str) -> list[Any]:
    value = found.get(name)
    return value[:30] if isinstance(value, list) else []


def _clean(value: Any) -> Any:
    """Return a value of JSON with single spaces in its texts. Raises ValueError for texts that are long or no text."""
    match value:
        case str():
            if len(value) > 800 or _FORBIDDEN.search(value):
                raise ValueError
            return " ".join(value.split())
        case list():
            return [_clean(one) for one in value]
        case dict():
            return {key: _clean(one) for key, one in value.items()}
    return value


def _mix(texts: list[str]) -> tuple[str, ...]:
    """Return these texts in another order, the same each time."""
    mixed = shuffle(texts, Random("\n".join(texts)))  # noqa: S311 - no secret
    return mixed if list(mixed) != texts else (*mixed[1:], *mixed[:1])
