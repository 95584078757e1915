"""Read the questions that a language model wrote as JSON. What has not exactly the form is no question."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from random import Random

from chatbots.citations.markers import MARKER
from learning.material import DraftQuestion, QuestionKind
from learning.questions.rules.asking import TOLERANCE

MAX_QUESTIONS, MAX_TEXT = 30, 800
"""Questions that are read of a reply, and characters of a text in it."""

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(?P<body>.*?)\n\s*```\s*\Z", re.DOTALL)
_FORBIDDEN = re.compile(r"https?:|<[a-z/!]|[\x00-\x08\x0e-\x1f]", re.IGNORECASE)


class _WrongForm(Exception):
    """The JSON has not the form that was asked for."""


def read_questions(reply: str) -> list[DraftQuestion | None] | None:
    """The questions of a reply, None for one without the right form; None for a reply that is no such JSON at all."""
    fenced = _FENCE.match(reply)
    try:
        read = json.loads(fenced["body"] if fenced else reply)
    except (ValueError, RecursionError):
        return None
    found = read.get("questions") if isinstance(read, dict) else None
    if not isinstance(found, list) or not found:
        return None
    return [_question(one) for one in found[:MAX_QUESTIONS]]


def _question(found: object) -> DraftQuestion | None:
    try:
        if not isinstance(found, dict):
            return None
        kind, explanation = QuestionKind(_text(found, "kind")), _text(found, "explanation")
        numbers = tuple(sorted({int(number) for number in MARKER.findall(explanation)}))
        options, targets, answer = _READERS[kind](found)
        return DraftQuestion(kind, _text(found, "prompt"), answer, explanation, numbers, options, targets)
    except (_WrongForm, ValueError):
        return None


_Parts = tuple[tuple[str, ...], tuple[str, ...], dict[str, object]]


def _choice(found: Mapping[str, object]) -> _Parts:
    options = _texts(found, "options")
    correct = found.get("correct")
    indexes = correct if isinstance(correct, list) else [correct]
    if not indexes or not all(type(one) is int and 0 <= one < len(options) for one in indexes):
        raise _WrongForm
    if found["kind"] == QuestionKind.SINGLE:
        if len(indexes) != 1:
            raise _WrongForm
        return options, (), {"correct": indexes[0]}
    return options, (), {"correct": sorted(set(indexes))}


def _truth(found: Mapping[str, object]) -> _Parts:
    if not isinstance(found.get("value"), bool):
        raise _WrongForm
    return (), (), {"value": found["value"], "reason": _text(found, "reason")}


def _number(found: Mapping[str, object]) -> _Parts:
    value = found.get("value")
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise _WrongForm
    unit = found.get("unit", "")
    if not isinstance(unit, str) or len(unit) > 20:
        raise _WrongForm
    return (), (), {"value": float(value), "unit": unit.strip(), "tolerance": TOLERANCE}


def _order(found: Mapping[str, object]) -> _Parts:
    steps = _texts(found, "steps")
    options = _mixed(steps)
    return options, (), {"order": [options.index(step) for step in steps]}


def _match(found: Mapping[str, object]) -> _Parts:
    pairs = found.get("pairs")
    if not isinstance(pairs, list) or not all(isinstance(one, list) and len(one) == 2 for one in pairs):
        raise _WrongForm
    options = tuple(_checked(one) for one, _ in pairs)
    meanings = tuple(_checked(meaning) for _, meaning in pairs)
    targets = _mixed(meanings)
    return options, targets, {"pairs": [targets.index(meaning) for meaning in meanings]}


_READERS: dict[QuestionKind, Callable[[Mapping[str, object]], _Parts]] = {
    QuestionKind.SINGLE: _choice,
    QuestionKind.SEVERAL: _choice,
    QuestionKind.CLOZE: lambda found: ((), (), {"accepted": list(_texts(found, "accepted"))}),
    QuestionKind.TRUTH: _truth,
    QuestionKind.NUMBER: _number,
    QuestionKind.ORDER: _order,
    QuestionKind.MATCH: _match,
    QuestionKind.SHORT: lambda found: ((), (), {"reference": _text(found, "reference")}),
}


def _text(found: Mapping[str, object], key: str) -> str:
    return _checked(found.get(key))


def _texts(found: Mapping[str, object], key: str) -> tuple[str, ...]:
    texts = found.get(key)
    if not isinstance(texts, list) or not texts:
        raise _WrongForm
    return tuple(map(_checked, texts))


def _checked(text: object) -> str:
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT or _FORBIDDEN.search(text):
        raise _WrongForm
    return " ".join(text.split())


def _mixed(texts: tuple[str, ...]) -> tuple[str, ...]:
    """These texts in another order, the same each time."""
    mixed = list(texts)
    rng = Random("\n".join(texts))  # noqa: S311 - no secret
    for _ in range(10):
        rng.shuffle(mixed)
        if tuple(mixed) != texts:
            break
    return tuple(mixed)
