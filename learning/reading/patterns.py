"""What sentences look like in English, German, French and Spanish: references, definitions, reasons, opposites."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from learning.material import WORDS
from text.negation import compile_negation
from text.words import read_words

_WORD = re.compile(r"[^\W_]+")


def _words(text: str) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(text.split("|"), key=len, reverse=True))


@dataclass(frozen=True)
class Patterns:
    """Compiled patterns of one language.

    `leans` is the beginning of a sentence that goes on from the one before it, `instructs` of one that says what to do.
    `points` is a word anywhere that points out of the sentence or speaks to the reader. `defines` follows a term that
    is defined, and `calls` stands between a meaning and its term. `before_term` may stand before a term that begins a
    sentence, and `article` before any. `class_of` begins a meaning that many things have. `because` separates a fact
    from its reason. `hedge` makes the opposite of a sentence possible too. `negation` turns a statement into its
    contrary. `steps` says that a list has an order.
    """

    leans: re.Pattern[str]
    instructs: re.Pattern[str]
    points: re.Pattern[str]
    defines: re.Pattern[str]
    calls: re.Pattern[str]
    before_term: re.Pattern[str]
    class_of: re.Pattern[str]
    article: re.Pattern[str]
    because: re.Pattern[str]
    hedge: re.Pattern[str]
    negation: re.Pattern[str]
    steps: re.Pattern[str]
    opposites: tuple[tuple[str, str], ...]


@cache
def get_patterns(language: str) -> Patterns:
    own = {**read_words(language, WORDS)["patterns"], "instructs": read_words(language)["sections"]["instructs"]}
    table = {name: "|".join(parts) for name, parts in own.items()}

    def anywhere(name: str) -> re.Pattern[str]:
        raw = table.get(f"{name}_forms", "(?!)")
        return re.compile(rf"(?<![\w-])(?:{_words(table[name])}|{raw})(?![\w-])", re.IGNORECASE)

    def at_start(name: str) -> re.Pattern[str]:
        return re.compile(rf"\W*(?:{_words(table[name])})(?!\w)", re.IGNORECASE)

    pairs = tuple(
        (one, other) for one, other in (pair.replace("_", " ").split("/") for pair in table["opposites"].split("|"))
    )
    return Patterns(
        leans=at_start("leans"),
        instructs=at_start("instructs"),
        points=anywhere("points"),
        defines=re.compile(rf"\s+(?:{table['defines']})\s+"),
        calls=re.compile(rf"\s(?:{table['calls']})\s+(?P<term>[^.,;:]+)\.?$"),
        before_term=re.compile(rf"(?:(?:{table['before_term']})\s+|[Ll]['’])?"),
        class_of=re.compile(r"(?:an?|one|eine?[nrms]?|une?|una?|any)\s", re.IGNORECASE),
        article=re.compile(rf"(?:{table['article']})", re.IGNORECASE),
        because=re.compile(rf"(?P<fact>[^;:]+?),?\s+(?:{table['because']})[\s'’]+(?P<reason>[^;:]+?)\.?"),
        hedge=anywhere("hedge"),
        negation=compile_negation(language),
        steps=anywhere("steps"),
        opposites=pairs,
    )


def are_opposed(one: str, other: str, language: str) -> bool:
    """Say whether one text has the opposite of a word of the other, as "smaller" and "larger", and not both."""
    first, second = (f" {' '.join(_WORD.findall(text.casefold()))} " for text in (one, other))
    return any(
        f" {a} " in first and f" {a} " not in second and f" {b} " in second and f" {b} " not in first
        for pair in get_patterns(language).opposites
        for a, b in (pair, pair[::-1])
    )
