"""Sentences that define: patterns such as "X is a …", "the … is called X" or "X means …", in four languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from text.names import is_name, strip_article
from text.words import read_words

_TERM = r"(?P<term>[^\W_][\w'’\-–]*(?:\s[\w'’\-–]+){0,6}?)"
_NOTE = r"(?:\s\((?P<note>[^()]{1,60})\))?"
"""What stands in brackets after a term."""


@dataclass(frozen=True)
class Definition:
    """What a sentence defines. `weight` says how surely, up to 3: 0.4 is enough for bold print only.

    `synonym` is another name that it gives; the weight is 0 where that is all. `is_definite` tells that it speaks of
    "the X", which may be one certain thing that was introduced before. The term ends at the offset `ends`.
    """

    term: str
    weight: float
    synonym: str = ""
    is_definite: bool = False
    ends: int = 0


_DEFINITE = frozenset(["the", "der", "die", "das", "le", "la", "les", "l'", "l’", "el", "los", "las"])
_ABBREVIATION = re.compile(r"[^\W\d_]{2,7}")


def definitions_in(sentence: str, language: str) -> Iterator[Definition]:
    """Yield what a sentence in plain text defines, by each pattern of the language that fits."""
    for weight, pattern in _find_patterns(language):
        match = pattern.search(sentence)
        if match is None:
            continue
        groups = match.groupdict()
        term = strip_article(match["term"])
        if language.startswith("de"):
            term = _strong(term, (groups.get("det") or "").strip())
        if is_name(term, language):
            synonym = strip_article(groups.get("synonym") or "")
            note = groups.get("note") or ""
            if not is_name(synonym, language):
                synonym = note if is_abbreviation(note, term) else ""
            definite = (groups.get("det") or "").strip().casefold() in _DEFINITE and term[:1].islower()
            yield Definition(
                term, weight, synonym, is_definite=definite and language[:2] == "en", ends=match.end("term")
            )


@cache
def _find_patterns(language: str) -> list[tuple[float, re.Pattern[str]]]:
    found = read_words(language)["definitions"]

    def fill(text: str) -> str:
        return re.sub(r"\{([A-Z_]+)\}", lambda name: fill(found["parts"][name[1]]), text)

    return [
        (weight, re.compile(fill(pattern).replace("TERM", _TERM).replace("NOTE", _NOTE)))
        for weight, pattern in found["rules"]
    ]


def _strong(term: str, article: str) -> str:
    """Return a German name as it is without its article: "elektrischer Widerstand" for "der elektrische Widerstand"."""
    first, space, rest = term.partition(" ")
    ending = {"Der": "r", "Das": "s"}.get(article, "") if first.islower() and first.endswith("e") and rest else ""
    return f"{first}{ending}{space}{rest}"


def is_abbreviation(short: str, name: str) -> bool:
    """Say whether the letters of a short form stand in this order at the beginnings of parts of the name."""
    if not _ABBREVIATION.fullmatch(short) or not short.rstrip("s").isupper():
        return False
    name, short = _unaccented(name), _unaccented(short).rstrip("s")
    letters = iter(name)
    return name[:1] == short[:1] and all(sign in letters for sign in short)


def _unaccented(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(sign))
