"""Units of measurement with their prefixes: which can be converted, and by which factor."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_UNITS = {sign: (float(n), str(of)) for sign, (n, of) in (_TABLE["with_prefix"] | _TABLE["without_prefix"]).items()}
_WORDS = {word: sign for sign, words in _TABLE["names"].items() for word in words.split()}
_PREFIX_WORDS = {word: sign for sign, words in _TABLE["prefix_names"].items() for word in words.split()}
_RAISED = str.maketrans("¹²³⁻", "123-")
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
