"""Check that the parts of a question from a file fit its kind, as `learning.material.DraftQuestion` has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from learning.material import QuestionKind
from learning.questions.review import GAP, MOST_OPTIONS

MOST_ACCEPTED = 50
LONGEST_TEXT = 4000
"""Characters of an option, an accepted word, a reason or a model answer."""


class WrongShape(ValueError):
    """The question cannot be asked; the message says why."""


def checked_answer(
    kind: QuestionKind, *, prompt: str, options: Sequence[str], targets: Sequence[str], answer: Mapping[str, Any]
) -> dict[str, Any]:
    """The answer with its known parts only. Raises WrongShape."""
    _check_options(kind, options, targets)
    match kind:
        case QuestionKind.SINGLE:
            (index,) = _indexes([answer.get("correct")], len(options))
            return {"correct": index}
        case QuestionKind.SEVERAL:
            return {"correct": sorted(_indexes(answer.get("correct"), len(options)))}
        case QuestionKind.CLOZE:
            if prompt.count(GAP) != 1:
                raise WrongShape(f"The prompt of a cloze has one gap: {GAP}")
            return {"accepted": _texts(answer.get("accepted"))}
        case QuestionKind.TRUTH:
            if not isinstance(value := answer.get("value"), bool):
                raise WrongShape("The answer’s “value” is true or false.")
            return {"value": value, "reason": _text(answer.get("reason", ""), "reason", may_be_empty=True)}
        case QuestionKind.NUMBER:
            return _number(answer)
        case QuestionKind.ORDER:
            return {"order": _all_of(answer.get("order"), len(options))}
        case QuestionKind.MATCH:
            return {"pairs": _pairs(answer.get("pairs"), len(options), len(targets))}
        case QuestionKind.SHORT:
            return {"reference": _text(answer.get("reference"), "reference")}


def _check_options(kind: QuestionKind, options: Sequence[str], targets: Sequence[str]) -> None:
    has_options = kind in (QuestionKind.SINGLE, QuestionKind.SEVERAL, QuestionKind.ORDER, QuestionKind.MATCH)
    if has_options and not 2 <= len(options) <= MOST_OPTIONS:
        raise WrongShape(f"This kind of question has 2 to {MOST_OPTIONS} options.")
    if not has_options and options:
        raise WrongShape("This kind of question has no options.")
    is_match = kind == QuestionKind.MATCH
    if (is_match and not 2 <= len(targets) <= MOST_OPTIONS) or (targets and not is_match):
        raise WrongShape(f"A matching question has 2 to {MOST_OPTIONS} targets, and no other question has any.")


def _number(answer: Mapping[str, Any]) -> dict[str, Any]:
    value, tolerance = answer.get("value"), answer.get("tolerance", 0.0)
    for one in (value, tolerance):
        if not isinstance(one, int | float) or isinstance(one, bool) or not -1e300 < one < 1e300 or math.isnan(one):
            raise WrongShape("The answer’s “value” and “tolerance” are numbers.")
    assert isinstance(value, int | float)
    if not 0 <= tolerance <= 1:
        raise WrongShape("The answer’s “tolerance” is a share between 0 and 1.")
    unit = _text(answer.get("unit", ""), "unit", may_be_empty=True)
    return {"value": float(value), "unit": unit, "tolerance": float(tolerance)}


def _indexes(found: object, options: int) -> list[int]:
    """Different indexes of options, at least one."""
    if not isinstance(found, list) or not 0 < len(found) <= options:
        raise WrongShape("The answer says which options are right, by their index from 0.")
    indexes = [one for one in found if isinstance(one, int) and not isinstance(one, bool) and 0 <= one < options]
    if len(indexes) != len(found) or len(set(indexes)) != len(indexes):
        raise WrongShape(f"The answer has different indexes of options, from 0 to {options - 1}.")
    return indexes


def _all_of(found: object, options: int) -> list[int]:
    indexes = _indexes(found, options)
    if len(indexes) != options:
        raise WrongShape("The answer has each index of an option once.")
    return indexes


def _pairs(found: object, options: int, targets: int) -> list[int]:
    """The index of a target for each option; two options may have the same."""
    if not isinstance(found, list) or len(found) != options:
        raise WrongShape("The answer’s “pairs” has the index of a target for each option.")
    return [_indexes([one], targets)[0] for one in found]


def _texts(found: object) -> list[str]:
    if not isinstance(found, list) or not 0 < len(found) <= MOST_ACCEPTED:
        raise WrongShape(f"The answer’s “accepted” is a list of 1 to {MOST_ACCEPTED} texts.")
    return [_text(one, "accepted") for one in found]


def _text(found: object, name: str, *, may_be_empty: bool = False) -> str:
    is_text = isinstance(found, str) and len(found) <= LONGEST_TEXT and "\x00" not in found
    if not isinstance(found, str) or not is_text or not (may_be_empty or found.strip()):
        raise WrongShape(f"The answer’s “{name}” is a text of at most {LONGEST_TEXT:,} characters.")
    try:
        found.encode()
    except UnicodeEncodeError:
        raise WrongShape(f"The answer’s “{name}” has half of a character.") from None
    return found
