"""The words of short answers: by parts of a sentence, and how alike two words are in spite of slips and synonyms."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from chatbots.citations.entities import EntityIndex
from learning.grading.opposites import are_alike, are_opposite, negations, relation_words
from text.function_words import function_words
from text.languages import configuration_of
from text.stemming import stem

_WORD = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+")
_BREAK = re.compile(
    r"[,;:.!?=()–—]+(?!\d)|\s-\s|\b(?:and|but|because|cos|since|so|until|till|while|when|which|whereas|or|then"
    r"|und|aber|weil|damit|sodass|bis|während|wenn|denn|oder|dabei"
    r"|et|mais|parce|car|donc|quand|qui|jusqu|ou"
    r"|y|e|pero|porque|hasta|mientras|cuando|o)\b",
    re.IGNORECASE,
)
_VALUES = {"twice": "2", "double": "2", "doppelt": "2", "doble": "2", "thrice": "3", "half": "0.5", "quarter": "0.25"}
_ARTICLES = frozenset(["one", "ein", "eine", "einen", "un", "une", "una", "uno"])  # no numbers
_EMPTY_VERBS = {"en": frozenset(["get", "got", "make", "makes", "go", "goes"])}

LONGEST = 300
"""Words of an answer that are read."""

SPELT_ALIKE, ALIKE = 0.9, 0.8
"""Similarity of a word with a slip of the pen, and of a synonym."""

_COMMON_BEGINNING = 5  # letters that make two words the same one with another ending
_FORGIVEN = ((7, 2), (4, 1))  # (letters of the shorter word, letters that may differ)

Cosine = Callable[[str, str], float]


@dataclass(frozen=True)
class Token:
    """A word in small letters, with its stem (a number: its digits) and the part of the sentence that it stands in."""

    stem: str
    word: str
    part: int

    @property
    def is_number(self) -> bool:
        """Whether it is a number, in digits or words."""
        return self.stem[0].isdigit()


def tokens_of(text: str, language: str) -> list[Token]:
    """Return the words of a text in order; conjunctions and punctuation part them and are left out."""
    found: list[Token] = []
    part = start = 0
    plain = text.replace("’", "").replace("'", "")
    for match in [*_BREAK.finditer(plain), None]:
        words = [word.lower() for word in _WORD.findall(plain[start : match.start() if match else len(plain)])]
        found += [Token(_stem(word, language), word, part) for word in words]
        part += bool(words)
        start = match.end() if match else len(plain)
    return found[:LONGEST]


def content_of(tokens: Sequence[Token], language: str) -> list[Token]:
    """Return the words with a meaning: without function words but for relations, and without negations."""
    empty = (function_words(language) - relation_words(language)) | negations(language)
    empty |= _EMPTY_VERBS.get(language[:2], frozenset())
    return [token for token in tokens if token.word not in empty]


def similarity(one: Token, other: Token, language: str, cosine: Cosine | None) -> float:
    """Return how alike two words are, from 0 to 1: stem, slips of the pen, lists of synonyms, vectors."""
    if one.stem == other.stem:
        return 1.0
    if one.is_number or other.is_number:
        is_year = len(one.stem) == 2 and len(other.stem) == 4 and other.stem.endswith(one.stem)
        return SPELT_ALIKE if is_year else 0.0
    if are_opposite(one.stem, other.stem, language):
        return 0.0
    if _is_spelt_alike(one.word, other.word):
        return SPELT_ALIKE
    if are_alike(one.stem, other.stem, language):
        return ALIKE
    return min(ALIKE, max(0.0, 2 * cosine(one.word, other.word) - 0.6)) if cosine else 0.0


@cache
def _is_spelt_alike(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    if one[0] != other[0]:
        return False
    if shorter >= _COMMON_BEGINNING and one[:_COMMON_BEGINNING] == other[:_COMMON_BEGINNING]:
        return True
    forgiven = next((letters for length, letters in _FORGIVEN if shorter >= length), 0)
    return abs(len(one) - len(other)) <= forgiven and _distance(one, other) <= forgiven


def _distance(one: str, other: str) -> int:
    """Levenshtein's distance."""
    row = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        above, row = row, [n]
        for m, another in enumerate(other, 1):
            row.append(min(above[m] + 1, row[-1] + 1, above[m - 1] + (letter != another)))
    return row[-1]


@cache
def _stem(word: str, language: str) -> str:
    if word[0].isdigit():
        return word.replace(",", ".")
    number = "" if word in _ARTICLES else next(iter(EntityIndex.of(word).numbers), "")
    return _VALUES.get(word) or number or stem(word, configuration_of(language))
