"""Grade a number with its unit: within the tolerance, in any unit of the same kind."""

from __future__ import annotations

from learning.grading.feedback import grade_by_share, make_grade
from learning.grading.numbers import Quantity, parse_quantity
from learning.grading.units import parse_unit
from learning.material import Grade, GradedQuestion, Verdict
from text.function_words import content_stems
from text.stemming import stems

_ROUNDING = 1e-9  # relative, of binary fractions


def grade_number(question: GradedQuestion, given: str | float, *, language: str) -> Grade:
    """Right in any unit that can be converted; partly if the number is right but its unit is wrong.

    A missing unit is right, with a remark, where the question names the unit, and else partly.
    """
    value, unit = float(question.answer["value"]), str(question.answer.get("unit") or "")
    tolerance = float(question.answer.get("tolerance") or 0.0)
    whole = f"It is {_written(value)} {unit}".strip() + "."
    found = parse_quantity(given if isinstance(given, str) else repr(given), language)
    if found is None:
        return grade_by_share(0.0, [whole], question.explanation)
    if _agrees(found, value, unit, tolerance, language):
        return grade_by_share(1.0, [], question.explanation)
    if not any(_is_near(reading, value, tolerance) for reading in found.readings):
        return grade_by_share(0.0, [whole], question.explanation)
    if not found.unit:
        if set(stems(unit, language)) <= set(stems(question.prompt, language)) or unit in question.prompt.split():
            return grade_by_share(1.0, [f"With its unit: {_written(value)} {unit}."], question.explanation)
        said = [f"The number is right, but its unit is missing: {unit}."]
        return make_grade(Verdict.PARTLY, 0.75, said, question.explanation)
    said = [f"The number is right, but {f'the unit is {unit}' if unit else 'it has no unit'}."]
    return make_grade(Verdict.PARTLY, 0.5, said, question.explanation)


def _agrees(found: Quantity, value: float, unit: str, tolerance: float, language: str) -> bool:
    own, wanted = parse_unit(found.unit), parse_unit(unit)
    if own is not None and wanted is not None and own[1] == wanted[1]:
        is_bare = bool(unit) != bool(found.unit) and not own[1]
        same = any(_is_near(reading * own[0], value * wanted[0], tolerance) for reading in found.readings)
        return same and (not is_bare or own[0] != wanted[0])
    if not any(_is_near(reading, value, tolerance) for reading in found.readings):
        return False
    if not unit:
        return own is None or not own[1]
    words = content_stems(unit, language)
    return own is None and wanted is None and words <= set(stems(found.unit, language))


def _is_near(value: float, wanted: float, tolerance: float) -> bool:
    return abs(value - wanted) <= (tolerance + _ROUNDING) * abs(wanted) + (_ROUNDING if not wanted else 0.0)


def _written(value: float) -> str:
    """The number with as few digits as tell it apart."""
    return f"{value:.12g}"
