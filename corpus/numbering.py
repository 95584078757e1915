"""Labels of textbook parts, such as “Module 1, Chapter 2, Section 3”, and the words for their levels. Pure.

`corpus.ingestion.readers.numbering` finds the numbers; models, search and reading only show them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

MODULE, CHAPTER, SECTION = 1, 2, 3

WORDS: Mapping[str, Mapping[int, Sequence[str]]] = {
    "en": {MODULE: ("module", "unit", "part"), CHAPTER: ("chapter", "lesson"), SECTION: ("section",)},
    "de": {MODULE: ("modul", "einheit", "teil"), CHAPTER: ("kapitel", "lektion"), SECTION: ("abschnitt",)},
    "fr": {MODULE: ("module", "unité", "partie"), CHAPTER: ("chapitre", "leçon"), SECTION: ("section",)},
    "es": {MODULE: ("módulo", "unidad", "parte"), CHAPTER: ("capítulo", "lección"), SECTION: ("sección",)},
}
"""The words for each rank by language, the usual word first."""

RANKS = {word: rank for ranks in WORDS.values() for rank, words in ranks.items() for word in words}
ANY_WORD = "(?i:" + "|".join(sorted(RANKS, key=len, reverse=True)) + ")"
"""A pattern for any of the words."""

_KINDS = {MODULE: "module", CHAPTER: "chapter", SECTION: "section"}
_NUMBERED = re.compile(rf"({ANY_WORD})\s")


def label(numbers: Iterable[str]) -> str:
    """The numbers as they are cited: “Module 1, Chapter 2, Section 3”. Empty if there are none."""
    return ", ".join(filter(None, numbers))


def find_part_kind(number: str) -> str:
    """The kind of part that a number such as “Kapitel 2” names: module, chapter or section. Empty for any other."""
    found = _NUMBERED.match(number.rpartition(", ")[2])
    return _KINDS[RANKS[found[1].lower()]] if found else ""
