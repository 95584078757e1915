"""Quantities in a sentence: a number with its unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNITS = (
    r"[µmckMG]?m(?:/s(?:\^?2|²)?)?|km/h|mph|[mk]?g|kg/m(?:\^?3|³)|[mµn]?s|min|h|[kM]?N|[kM]?J|[kMG]?W|kWh|[mk]?V|m?A|Ω|[kMG]?Hz|K|"
    r"°\s?[CF]?|[hk]?Pa|atm|bar|m?[Ll]|mol|%|percent|Prozent|pour cent|por ciento|"
    r"(?:kilo|centi|milli|milí?|nano)?(?:met(?:er|re)s?|gramm?e?s?|lit(?:er|re)s?|metros?|gramos?|litros?|mètres?)|"
    r"(?:miles?|feet|inches|pounds?|tons?|tonnes?|degrees?|Grad|degrés?|grados?)(?:\s(?:Celsius|Fahrenheit|per\s\w+))?|"
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|"
    r"secondes?|heures?|jours?|semaines?|mois|ans|années?|segundos?|minutos?|horas?|días?|semanas?|meses|años?)|"
    r"(?:newtons?|joules?|watts?|volts?|amperes?|ohms?|hertz|kelvins?|pascals?|Newton|Joule|Watt|Volt|Ampere)"
)
_QUANTITY = re.compile(
    rf"(?<![\w.,/(–-])(?P<number>[-−–]?\d{{1,3}}(?:(?:,\d{{3}}){{1,4}}|\d{{0,12}})(?:[.,]\d+)?)(?P<gap>\s|\u00a0)?(?P<unit>{_UNITS})(?![\w/·*^²³])"
)


@dataclass(frozen=True)
class WrittenQuantity:
    """A number at `start` to `end` of a sentence, and the unit behind it."""

    start: int
    end: int
    value: float
    unit: str


def quantities(sentence: str) -> list[WrittenQuantity]:
    """The numbers of a sentence that have a unit."""
    found = []
    for match in _QUANTITY.finditer(sentence):
        if len(match["unit"]) == 1 and match["unit"].isalpha() and match["gap"] is None:
            continue  # the 1870s, 4K
        number = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", match["number"]).replace(",", ".")
        value = float(number.replace("−", "-").replace("–", "-"))
        found.append(WrittenQuantity(match.start("number"), match.end("number"), value, match["unit"]))
    return found
