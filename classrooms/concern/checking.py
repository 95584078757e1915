"""Find listed words and phrases, and telephone numbers, addresses and the like, in a text.

A phrase is found where its words stand one after the other, whatever is between them and however they are capitalised.
Nothing is found that is said in other words: docs/concern.md.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unicodedata import normalize

PERSONAL_DATA = "personal-data"
"""The category of all shapes."""

_WORD = re.compile(r"[^\W_]+")
# All repetitions are bounded, so that no text takes long.
_SHAPES = {
    "e-mail address": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,30}){1,3}"),
    "IBAN": re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){3,7}(?: ?[A-Za-z0-9]{1,3})?(?!\w)"),
    "British postcode": re.compile(r"(?<!\w)[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2}(?!\w)"),
    "street address": re.compile(
        r"(?<![\w.,])\d{1,3}[a-z]? (?:(?!(?:of|per|the|an?|on|in|each|this|long|wide) )[^\W\d_]{2,20} ){1,2}"
        r"(?:street|st|road|rd|avenue|ave|lane|crescent)(?!\w)"
        r"|(?<![\w-])[^\W\d_]{0,20}[ -]?(?:straße|strasse|str\.|gasse|allee) ?\d{1,3}[a-z]?(?!\w)"
        r"|(?<![\w.,])\d{1,3}(?: bis| ter)?,? (?:rue|avenue|boulevard|chemin|impasse) \w{2,20}"
        r"|(?<!\w)(?:calle|avenida|plaza|paseo) (?:\w{1,20} ){0,3}\w{1,20},? \d{1,3}(?!\w)",
        re.IGNORECASE,
    ),
}
_NUMBERS = re.compile(r"(?<![\w.,])\+?\(?\d[\d ()/.\-–]{1,28}\d(?!\w)")
_DATE = re.compile(r"\d{1,2}([./-]) ?\d{1,2}\1 ?(?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Finding:
    """Words of a text as they were written, and the entry of the list or the shape that they match.

    What a language model found has no entry.
    """

    category: str
    words: str
    entry: str = ""
    is_of_answer: bool = False


@cache
def load_default() -> dict[str, list[str]]:
    """Return the phrases that Lectern brings, by category."""
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


def find_listed_words(text: str, phrases: Mapping[str, Sequence[str]]) -> list[Finding]:
    """Return at most one finding for each category. A longer phrase comes before a shorter one."""
    text = normalize("NFKC", text)
    places = list(_WORD.finditer(text))
    words = [place[0].casefold() for place in places]
    listed: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for category, entries in phrases.items():
        for entry in entries:
            listed[split_words(entry)].append((category, entry))
    findings: dict[str, Finding] = {}
    for length in sorted({len(phrase) for phrase in listed} - {0}, reverse=True):
        for first in range(len(words) - length + 1):
            for category, entry in listed.get(tuple(words[first : first + length]), ()):
                excerpt = text[places[first].start() : places[first + length - 1].end()]
                findings.setdefault(category, Finding(category, " ".join(excerpt.split()), entry))
    for name, excerpt in _find_shapes(text):
        findings.setdefault(PERSONAL_DATA, Finding(PERSONAL_DATA, excerpt, name))
    return list(findings.values())


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in the form in which they are compared."""
    return tuple(word.casefold() for word in _WORD.findall(normalize("NFKC", text)))


def _find_shapes(text: str) -> Iterator[tuple[str, str]]:
    for name, pattern in _SHAPES.items():
        for match in pattern.finditer(text):
            if name != "IBAN" or sum(c.isdigit() for c in match[0]) >= 10:
                yield name, match[0]
    for match in _NUMBERS.finditer(text):
        if name := _name_number(match[0]):
            yield name, match[0]


def _name_number(run: str) -> str:
    """Return whether digits with spaces and marks between them are a card or a telephone number, or neither."""
    digits = "".join(c for c in run if c.isdigit())
    if _DATE.fullmatch(run) or set(digits) <= {"0", "1"} or re.fullmatch(r"\d+\.\d+", run):
        return ""
    if 15 <= len(digits) <= 16 and digits[0] in "3456" and not run.startswith("+"):
        return "card number"
    is_grouped = max(map(len, re.findall(r"\d{1,30}", run))) > 1
    return "telephone number" if 9 <= len(digits) <= 15 and run.lstrip("(")[0] in "+0" and is_grouped else ""
