"""Units of measurement with their prefixes: which can be converted, and by which factor."""

from __future__ import annotations

import re
from functools import cache

_PREFIXES = {
    "": 1.0, "p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "h": 1e2, "k": 1e3, "M": 1e6, "G": 1e9,
    "T": 1e12,
}  # fmt: skip
_BASES = {
    **dict.fromkeys(["m", "g", "s", "A", "K", "mol", "cd", "eV", "B", "bit", "cal", "Bq"], (1.0, "")),
    "N": (1.0, "kg·m/s^2"), "J": (1.0, "N·m"), "W": (1.0, "J/s"), "Pa": (1.0, "N/m^2"), "V": (1.0, "W/A"),
    "Ω": (1.0, "V/A"), "Hz": (1.0, "s^-1"), "C": (1.0, "A·s"), "F": (1.0, "C/V"), "T": (1.0, "N/A·m"),
    "l": (1.0, "dm^3"), "L": (1.0, "dm^3"), "t": (1.0, "Mg"), "bar": (1e5, "Pa"),
}  # fmt: skip
"""Units that take prefixes, each as so many of others, "" for a base unit."""

_WITHOUT_PREFIX: dict[str, tuple[float, tuple[str, int]]] = {
    "min": (60.0, ("s", 1)), "h": (3600.0, ("s", 1)), "d": (86400.0, ("s", 1)), "°C": (1.0, ("°C", 1)),
    "wk": (604800.0, ("s", 1)), "mo": (1.0, ("mo", 1)), "yr": (1.0, ("yr", 1)), "mi": (1609.344, ("m", 1)),
    "ft": (0.3048, ("m", 1)), "lb": (453.59237, ("g", 1)),
    "°F": (1.0, ("°F", 1)), "°": (1.0, ("°", 1)), "%": (0.01, ("", 0)), "ha": (1e4, ("m", 2)), "€": (1.0, ("€", 1)),
    "$": (1.0, ("$", 1)), "£": (1.0, ("£", 1)),
}  # fmt: skip
"""Degrees Celsius are no kelvins: the two are never converted."""

_NAMES = """
m metre metres meter meters mètre mètres metro metros metern
g gram grams gramm gramme grammes gramo gramos
s second seconds sec secs sekunde sekunden seconde secondes segundo segundos
min minute minutes mins minuten minuto minutos
h hour hours hr hrs stunde stunden std heure heures hora horas
d day days tag tage tagen jour jours día días
wk week weeks woche wochen semaine semaines semana semanas
mo month months monat monate monaten mois mes meses
yr year years jahr jahre jahren ans année années año años
mi mile miles
ft foot feet
lb pound pounds
° degree degrees grad degré degrés grado grados
l litre litres liter liters litern litro litros
t tonne tonnes tonnen tonelada toneladas
% percent prozent
°C celsius °celsius ℃ c° grad°c
N newton newtons
J joule joules
W watt watts
Pa pascal pascals
V volt volts
Ω ohm ohms
Hz hertz
A ampere amperes
K kelvin
mol mole moles
€ euro euros
"""
_WORDS = {word: line.split()[0] for line in _NAMES.strip().splitlines() for word in line.split()[1:]}
_PREFIX_NAMES = """
k kilo kiló
m milli mili
c centi zenti
M mega
µ micro mikro
n nano
G giga
d deci dezi
h hecto hekto
"""
_PREFIX_WORDS = {word: line.split()[0] for line in _PREFIX_NAMES.strip().splitlines() for word in line.split()[1:]}
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
        if spelt in _WITHOUT_PREFIX:
            factor, base = _WITHOUT_PREFIX[spelt]
            return factor, (base,)
        words = [(sign, word) for word, sign in _PREFIX_WORDS.items() if spelt.startswith(word)]
        tried = [("", spelt), (spelt[:1], spelt[1:])]
        for prefix, sign in (*tried, *((one, _WORDS.get(spelt.removeprefix(word), "")) for one, word in words)):
            if prefix in _PREFIXES and sign in _BASES:
                number, others = _BASES[sign]
                factor, bases = parse_unit(others) or (1.0, ()) if others else (1.0, ((sign, 1),))
                return _PREFIXES[prefix] * number * factor, bases
    return None
