"""Find a term in a text in whatever form it has there, and compare terms by their stems."""

from __future__ import annotations

import re
from collections.abc import Iterable

from text.function_words import content_stems
from text.languages import get_configuration
from text.stemming import stem

MIN_SHARED, MAX_ENDING = 7, 2
"""Letters with which two forms of a word begin, and how many others each may end in."""

_WORD = re.compile(r"[^\W_]+")


def find_term(text: str, term: str, language: str) -> list[tuple[int, int]]:
    """Where the words of a term stand in a text in this order, in any inflection: (start, end) of each place."""
    configuration = get_configuration(language)
    wanted = [stem(word.lower(), configuration) for word in _WORD.findall(term)]
    words = [(match.start(), match.end(), stem(match[0].lower(), configuration)) for match in _WORD.finditer(text)]
    found = []
    for place in range(len(words) - len(wanted) + 1) if wanted else ():
        if [word[2] for word in words[place : place + len(wanted)]] == wanted:
            found.append((words[place][0], words[place + len(wanted) - 1][1]))
    return found


def get_term_stems(text: str, language: str) -> frozenset[str]:
    """The stems of a text without function words; all of them if nothing else is left."""
    return frozenset(content_stems(text, language))


def are_alike(one: str, other: str, language: str) -> bool:
    """Say whether one term is the other one in another form, or a part of it: "force" and "net forces"."""
    first, second = get_term_stems(one, language), get_term_stems(other, language)
    pairs = list(zip(one.casefold(), other.casefold(), strict=False))
    shared = next((place for place, (a, b) in enumerate(pairs) if a != b), len(pairs))
    is_form = shared >= MIN_SHARED and max(len(one), len(other)) - shared <= MAX_ENDING  # mitochondrion, mitochondria
    return first <= second or second <= first or is_form


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """The share of the stems of both that they have in common, from 0 to 1."""
    first, second = set(one), set(other)
    return len(first & second) / (len(first | second) or 1)


def is_plural(term: str) -> bool:
    """Say whether an English term looks like one in the plural."""
    return term.endswith("s") and not term.endswith(("ss", "us", "is", "ics"))
