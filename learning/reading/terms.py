"""Terms in whatever form a text has them, and what sentences look like in English, German, French and Spanish."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from learning.material import WORDS
from text.function_words import content_stems
from text.languages import get_configuration
from text.stemming import stem
from text.words import read_words

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


_AT_START, _ANYWHERE = r"\W*(?:{words})(?!\w)", r"(?<![\w-])(?:{words}|{forms})(?![\w-])"
_PATTERNS = {
    "leans": _AT_START,  # the beginning of a sentence that goes on from the one before it
    "instructs": _AT_START,  # the beginning of one that says what to do
    "points": _ANYWHERE,  # what points out of the sentence or speaks to the reader
    "hedge": _ANYWHERE,  # what makes the opposite of a sentence possible too
    "steps": _ANYWHERE,  # what says that a list has an order
    "defines": r"(?-i:\s+(?:{own})\s+)",  # follows a term that is defined
    "calls": r"(?-i:\s(?:{own})\s+(?P<term>[^.,;:]+)\.?$)",  # stands between a meaning and its term
    "before_term": r"(?-i:(?:(?:{own})\s+|[Ll]['’])?)",  # may stand before a term that begins a sentence
    "article": r"(?:{own})",
    "because": r"(?-i:(?P<fact>[^;:]+?),?\s+(?:{own})[\s'’]+(?P<reason>[^;:]+?)\.?)",
}
"""Where the words of a language stand that its file lists, or its regular expressions."""


@cache
def get_pattern(name: str, language: str) -> re.Pattern[str]:
    own = {**read_words(language, WORDS)["patterns"], "instructs": read_words(language)["sections"]["instructs"]}
    text, forms = "|".join(own[name]), "|".join(own.get(f"{name}_forms", ["(?!)"]))
    words = sorted(text.split("|"), key=len, reverse=True)
    escaped = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)
    pattern = _PATTERNS[name].replace("{words}", escaped).replace("{forms}", forms).replace("{own}", text)
    return re.compile(pattern, re.IGNORECASE)


@cache
def get_opposites(language: str) -> tuple[tuple[str, str], ...]:
    pairs = [pair.replace("_", " ").split("/") for pair in read_words(language, WORDS)["patterns"]["opposites"]]
    return tuple((one, other) for one, other in pairs)


def are_opposed(one: str, other: str, language: str) -> bool:
    """Say whether one text has the opposite of a word of the other, as "smaller" and "larger", and not both."""
    first, second = (f" {' '.join(_WORD.findall(text.casefold()))} " for text in (one, other))
    return any(
        f" {a} " in first and f" {a} " not in second and f" {b} " in second and f" {b} " not in first
        for pair in get_opposites(language)
        for a, b in (pair, pair[::-1])
    )
