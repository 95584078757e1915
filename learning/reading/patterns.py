"""What sentences look like in English, German, French and Spanish: references, definitions, reasons, opposites."""

from __future__ import annotations

import re
from functools import cache

from learning.material import WORDS
from text.words import read_words

_WORD = re.compile(r"[^\W_]+")


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
