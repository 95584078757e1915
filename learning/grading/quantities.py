"""Numbers with units as people write them, such as “2,5 km”, “1 500 g” and “3·10^8 m/s”: read, converted and graded."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from learning.material import Grade, GradedQuestion, Verdict, grade_by_share, make_grade
from text.function_words import content_stems
from text.stemming import stems

_TABLE = tomllib.loads(Path(__file__).with_name("units.toml").read_text(encoding="utf-8"))
_UNITS = {sign: (float(n), str(of)) for sign, (n, of) in (_TABLE["with_prefix"] | _TABLE["without_prefix"]).items()}
_WORDS = {word: sign for sign, words in _TABLE["names"].items() for word in words.split()}
_PREFIX_WORDS = {word: sign for sign, words in _TABLE["prefix_names"].items() for word in words.split()}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_PART = re.compile(r"(?P<name>[^\d^²³⁻¹\s]+?)(?:\^?(?P<power>-?\d)|(?P<raised>⁻?[¹²³]))?")

Dimension = tuple[tuple[str, int], ...]


@cache
def parse_unit(unit: str) -> tuple[float, Dimension] | None:
    """Return the factor to base units and the powers of these, such as (1000, (("m", 1),)) for km.

    None for what is no unit that can be converted, such as "people". "" and percent have no powers.
    """
    plain = unit.strip().replace("μ", "µ").replace("º", "°").replace("° C", "°C")
    plain = re.sub(r"(?i)\b(?:degrees?|grad|degrés?|grados?)\s*(?:celsius|c)\b", "°C", plain)
    plain = re.sub(r"(?i)\s*\b(?:per|pro|par|por)\b\s*|\s*/\s*", "/", plain)
    plain = re.sub(r"(?i)\b(?:square|quadrat)\s*-?(\w+)", r"\1^2", plain)
    plain = re.sub(r"(?i)\b(?:cubic|kubik)\s*-?(\w+)", r"\1^3", plain)
    factor, powers = 1.0, dict[str, int]()
    for number, side in enumerate(plain.split("/")):
        for part in re.split(r"[·*⋅\s]+", side.strip()):
            if not part and plain:
                return None
            match = _PART.fullmatch(part)
            if not part:
                continue
            simple = _simple(match["name"]) if match else None
            if match is None or simple is None:
                return None
            power = int((match["power"] or match["raised"] or "1").translate(_RAISED)) * (-1 if number else 1)
            factor *= simple[0] ** power
            for name, own in simple[1]:
                powers[name] = powers.get(name, 0) + power * own
    return factor, tuple(sorted((name, power) for name, power in powers.items() if name and power))


def _simple(name: str) -> tuple[float, Dimension] | None:
    """Return a unit without powers, as written or else in small letters ("Kg")."""
    for spelt in (name, name.lower()):
        spelt = _WORDS.get(spelt, spelt)
        words = [(sign, word) for word, sign in _PREFIX_WORDS.items() if spelt.startswith(word)]
        tried = [("", spelt), (spelt[:1], spelt[1:])]
        for prefix, sign in (*tried, *((one, _WORDS.get(spelt.removeprefix(word), "")) for one, word in words)):
            if sign in _UNITS and (not prefix or (prefix in _TABLE["prefixes"] and sign in _TABLE["with_prefix"])):
                (number, others), own = _UNITS[sign], ((sign, 1),)
                factor, bases = (parse_unit(others) if others != sign else None) or (1.0, own)
                return float(_TABLE["prefixes"][prefix] * number * factor), bases
    return None


_SPACES = "\u00a0\u202f\u2009 '’"
_NUMBER = re.compile(
    rf"(?P<sign>[-+−])?\s*(?P<digits>\d+(?:[{_SPACES}]\d{{3}}(?!\d))+(?:[.,]\d+)?|[\d.,]*\d)"
    r"(?:\s*(?:[eE]|[x×·*]\s*10\s*(?:\^|\*\*)?)\s*(?P<power>[-+−]?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|\s*/\s*(?P<below>\d+)(?![\d.,]))?"
)
_DECIMAL_COMMA = ("de", "fr", "es")


@dataclass(frozen=True)
class Quantity:
    """A number with its unit as written, "" for none. `readings` are the values that it may mean, the likeliest first:
    1.500 is 1.5 or 1500."""

    readings: tuple[float, ...]
    unit: str


def parse_quantity(text: str, language: str = "en") -> Quantity | None:
    """Return the first number of a text and the unit behind it, None without a number."""
    match = _NUMBER.search(text)
    if match is None or len(match["digits"]) > 60:
        return None
    factor = -1.0 if match["sign"] in ("-", "−") else 1.0
    if match["power"]:
        power = int(match["power"].translate(_RAISED))
        if abs(power) > 200:
            return None
        factor *= 10.0**power
    if match["below"]:
        if not float(match["below"]):
            return None
        factor /= float(match["below"])
    readings = tuple(factor * value for value in _readings(match["digits"], language[:2].lower()))
    return Quantity(readings, _unit_behind(text[match.end() :])) if readings else None


def find_quantities(sentence: str, language: str) -> list[tuple[int, int, Quantity]]:
    """Return the numbers of a sentence that have a known unit, with where each begins and ends."""
    found = []
    for match in _NUMBER.finditer(sentence):
        start = match.start("sign") if match["sign"] else match.start("digits")
        quantity = parse_quantity(sentence[start:], language)
        if quantity is None or re.match(r"[\w.,/(–-]", sentence[max(0, start - 1) : start]):
            continue
        is_letter = len(quantity.unit) == 1 and quantity.unit.isalpha() and not sentence[match.end()].isspace()
        if quantity.unit and quantity.unit != "pm" and parse_unit(quantity.unit) and not is_letter:  # the 1870s
            found.append((start, match.end(), quantity))
    return found


def _unit_behind(rest: str) -> str:
    """Return the words behind a number that are a unit, else the first three."""
    words = [word.strip(".!,;()") for word in rest.split()[:3]]
    tried = [" ".join(words[:length]) for length in range(len(words), 0, -1)]
    return next((unit for unit in tried if parse_unit(unit) is not None), tried[0] if tried else "")


def _readings(digits: str, language: str) -> list[float]:
    plain = re.sub(rf"[{_SPACES}]", "", digits).strip(".,")
    points, commas = plain.count("."), plain.count(",")
    if points and commas:
        decimal = "." if plain.rfind(".") > plain.rfind(",") else ","
        return _values([plain.replace("," if decimal == "." else ".", "").replace(decimal, ".")])
    mark = "." if points else ","
    if not points and not commas:
        return _values([plain])
    if points + commas > 1:
        return _values([plain.replace(mark, "")])
    decimal, whole = plain.replace(mark, "."), plain.replace(mark, "")
    if not re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", plain):
        return _values([decimal])
    is_decimal = (mark == ",") == (language in _DECIMAL_COMMA)
    return _values([decimal, whole] if is_decimal else [whole, decimal])


def _values(texts: list[str]) -> list[float]:
    try:
        return [float(text) for text in texts]
    except ValueError:
        return []


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
