"""Calculations: those of worked examples with other numbers."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from math import prod
from random import Random

from learning.grading.quantities import parse_quantity, parse_unit
from learning.material import DraftQuestion, QuestionKind
from learning.questions.sources import ConceptSources
from learning.questions.wording import GAP, TOLERANCE, ask, get_wording

_CONSTANTS = {"9.8", "9.81", "3.14", "24", "60", "100", "180", "273", "360", "365", "1000", "3600"}
_ZERO_CELSIUS = {"273", "273.15", "273,15"}
"""Kelvins of 0 °C, which are often added without their unit."""

_UNIT = r"(?:[^\W\d_]|[°%€$£])+[²³]?(?:[·/][^\W\d_]+(?:[²³]|\^?\d)?)*"
_NUMBER = re.compile(rf"(?<![\^\w.,])(?P<number>\d+(?:[.,]\d+)?)(?:\s?(?P<unit>{_UNIT}))?")
_TERM = rf"[-−(]*\d++(?:[.,]\d+)?+(?:\s?{_UNIT})?+\)*(?:\^\d|[²³])?\)*"
_CHAIN = re.compile(
    r"(?<![-+−*/·×^√\w.,])(?<![-+−*/·×^√]\s)"
    rf"(?P<formula>(?:[^\W\d_]\w{{0,3}}(?:\s?[-+−*/·×()]\s?[^\W\d_]\w{{0,3}}|[²³()])*\s?=\s?)*)"
    rf"(?P<expression>{_TERM}(?:\s?[-+−*/·×:]\s?{_TERM})+)\s?=\s?(?:[^=]{{1,60}}=\s?)*?"
    rf"(?P<result>{_TERM}(?:/\d+)?)(?=[.,;]?(?:\s|$))(?!\s?[-+−*/·×:=])"
)
_TEX = (
    (r"\\(?:text|mathrm|mathbf)\{([^{}]*)\}", r"\1"),
    (r"\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}", r"(\1)/(\2)"),
    (r"\\(?:cdot|times)\b", "·"),
    (r"\{,\}", ","),
    (r"\\[,;: ]|[~$]|\*\*", " "),
    (r"(?<!\w)\((\w)\)", r"\1"),
    (" +", " "),
)
_SIGNS = str.maketrans({"−": "-", "·": "*", "×": "*", ":": "/", "^": "**", "²": "**2", "³": "**3", ",": "."})
_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def ask_for_results(sources: ConceptSources, rng: Random) -> Iterator[tuple[DraftQuestion, ...]]:
    """The calculations of sentences about the concept, whose result is what they say it is, with other numbers."""
    for statement in sources.everything:
        text = _read_tex(statement.written)
        if statement.row or len(text) > 400 or not (sources.is_in_reach(statement) or sources.is_at_home(statement)):
            continue
        for found in _CHAIN.finditer(text):
            expression, result = found["expression"], _NUMBER.search(found["result"])
            unit = (result and result["unit"]) or ""
            value = _convert(expression, unit)
            if not value or not _fits(expression, found["result"]):
                continue
            whole = 100 if unit == "%" else 1
            for _ in range(10):
                changed = _change_numbers(expression, rng)
                new = _convert(changed, unit)
                if new and changed != expression and (new > 0, new > whole) == (value > 0, value > whole):
                    prompt = get_wording(sources.language)["calculate"].format(f"{found['formula']}{changed} = {GAP}")
                    answer = {"value": float(f"{new:.6g}"), "unit": unit, "tolerance": TOLERANCE}
                    yield (ask(QuestionKind.NUMBER, statement, prompt=prompt, answer=answer),)
                    break


def _fits(expression: str, result: str) -> bool:
    """Say whether a result is what an expression computes to. With units it is so only if they fit as well: then it
    holds in every system of units, and so in two."""
    systems: tuple[Callable[[str], int] | None, ...] = (lambda _: 1, lambda base: sum(map(ord, base)))
    for worth in systems if _has_units(expression) else (None,):
        value, stated = evaluate(expression, worth), evaluate(result, worth)
        if value is None or stated is None or abs(value - stated) > TOLERANCE * abs(value):
            return False
    return True


def _convert(expression: str, unit: str) -> float | None:
    """Return the value of an expression in a unit."""
    if not _has_units(expression):
        return evaluate(expression)
    value, one = evaluate(expression, lambda _: 1), evaluate(f"1 {unit}", lambda _: 1)
    return value / one if value is not None and one else None


def _has_units(expression: str) -> bool:
    return any((one["unit"] or "%") != "%" for one in _NUMBER.finditer(expression))


def evaluate(expression: str, worth: Callable[[str], int] | None = None) -> float | None:
    """Return the value of numbers with units that are added, multiplied and so on; None if it is anything else, or a
    number has two readings, as 1,200 has. Units do not count, unless `worth` says what each base unit is worth."""

    def read(one: re.Match[str]) -> str:
        number = parse_quantity(one["number"])
        zero = "K" if one["number"] in _ZERO_CELSIUS and "°C" in expression else ""
        measured = parse_unit((one["unit"] or zero).replace("°C", "K"))
        if number is None or len(number.readings) > 1 or measured is None:
            raise ValueError
        factor = measured[0] * prod(float(worth(name)) ** power for name, power in measured[1]) if worth else 1.0
        return f"({one['number'].replace(',', '.')}*{factor!r})" if worth else one["number"]

    try:
        plain = _NUMBER.sub(read, expression).translate(_SIGNS)
        value = _compute(ast.parse(plain.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError):
        return None
    return value if abs(value) < 1e12 else None


def _compute(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_compute(operand)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            return float(_compute(base) ** power)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATIONS:
            return _OPERATIONS[type(sign)](_compute(left), _compute(right))
    raise ValueError


def _change_numbers(expression: str, rng: Random) -> str:
    """Return an expression with other numbers: those with a unit, if any has one, but no constants such as 9.81."""
    numbers = list(_NUMBER.finditer(expression))
    has_units = _has_units(expression)
    changed = [one for one in numbers if one["number"].replace(",", ".") not in _CONSTANTS]
    new = {one[0]: _change(one["number"], rng) for one in changed if one["unit"] or not has_units}
    return _NUMBER.sub(lambda one: new.get(one[0], one["number"]) + one[0][len(one["number"]) :], expression)


def _change(number: str, rng: Random) -> str:
    whole, sign, decimals = number.partition("," if "," in number else ".")
    if not decimals:
        new = rng.randint(max(2, int(whole) // 2), 2 * int(whole) + 2)
        return str(round(new, min(0, 2 - len(whole))))  # 2000 W become 3400 W, not 3426 W
    return f"{float(f'{whole}.{decimals}') * rng.choice((0.5, 0.8, 1.2, 1.5, 2)):.{len(decimals)}f}".replace(".", sign)


def _read_tex(text: str) -> str:
    """Return a sentence with formulas of TeX as plain text."""
    for pattern, plain in _TEX:
        text = re.sub(pattern, plain, text)
    return text
