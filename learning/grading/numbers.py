"""Read numbers with units as people write them: "2,5 km", "1 500 g", "3·10^8 m/s"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from learning.grading.units import parse_unit

_SPACES = "\u00a0\u202f\u2009 '’"
_NUMBER = re.compile(
    rf"(?P<sign>[-+−])?\s*(?P<digits>\d+(?:[{_SPACES}]\d{{3}}(?!\d))+(?:[.,]\d+)?|[\d.,]*\d)"
    r"(?:\s*(?:[eE]|[x×·*]\s*10\s*(?:\^|\*\*)?)\s*(?P<power>[-+−]?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|\s*/\s*(?P<below>\d+)(?![\d.,]))?"
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
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
