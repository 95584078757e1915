"""Facts in sentences: a year or a quantity that can be asked for, with others of the same type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from learning.material import WORDS
from learning.questions.text.numbers import changed_number, quantities
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sentences import PassageStatement
from learning.questions.text.sources import WRONG_OPTIONS, ConceptSources
from learning.questions.text.terms import get_term_stems
from text.words import join_patterns

YEAR, QUANTITY = "year", "quantity"
MIN_ANCHOR = 5
"""Content words that a sentence keeps without its fact: fewer do not say what is asked for."""

_YEAR = re.compile(r"(?<![\w.,/–-])(?:1[0-9]{3}|20[0-4][0-9])(?![\w/–-]|,\d|\.\d)")
_BEFORE_YEAR = re.compile(rf"(?:\b(?:{join_patterns('sentences', 'before_year', WORDS)})|,)\s$", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\w.,/–-])\d[\d.,]*")
_QUOTED = re.compile(r"[\"“„«]\w+(?:[\s,]+\w+){2,}")
_PRONOUN = re.compile(rf"\b(?:{join_patterns('sentences', 'pronouns', WORDS)})\b")
"""Words that stand for something that the sentence may not name."""

_AT_LEAST = re.compile(rf"\b(?:{join_patterns('sentences', 'at_least', WORDS)})\s\d")
_LATEST = 2020
"""Years from which on a date is one of the school year, not one to learn."""

_WORD = r"[A-ZÄÖÜÀÂÇÉÈÊËÎÏÔÛŸÑÁÍÓÚ][^\W\d_]+(?:['’-][^\W\d_]+)*"
_RUN = re.compile(rf"\b{_WORD}(?:\s(?:of\s|de\s|du\s|la\s|del\s|the\s)?{_WORD})*")
_NO_NAMES = frozenset(
    """
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday act king queen lord lady sir saint god world war north south east west english
    french german spanish latin greek roman english i janvier février mars avril mai juin juillet août septembre octobre
    novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre year
    years figure table chapter section
    """.split()  # noqa: SIM905
)
_NO_CASE = re.compile(rf"\b(?:{join_patterns('sentences', 'cases', WORDS)})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Fact:
    """What stands at `start` to `end` of a statement and can be asked for."""

    statement: PassageStatement
    start: int
    end: int
    type: str

    @property
    def written(self) -> str:
        return self.statement.text[self.start : self.end]

    def with_other(self, other: str) -> str:
        """The statement with something else in its place."""
        return self.statement.text[: self.start] + other + self.statement.text[self.end :]


def find_facts(sources: ConceptSources) -> list[Fact]:
    """One fact of each statement about the concept that names something else besides, in the order of the passages."""
    found = []
    for statement in sources.statements:
        text = statement.text
        is_claim = _NO_CASE.search(text) or _QUOTED.search(text) or _PRONOUN.search(text) or _AT_LEAST.search(text)
        if is_claim or get_patterns(sources.language).hedge.search(statement.text):
            continue
        if not _is_about(statement, sources):
            continue
        for fact in _facts_in(statement):
            if _is_anchored(fact, sources):
                found.append(fact)
                break
    return found


def make_similar_facts(fact: Fact, sources: ConceptSources, rng: Random) -> list[str]:
    """Wrong answers of the same type: from the plan first; years and quantities are changed where too few are there."""
    if fact.type == YEAR:
        texts = [*sources.texts_of_concept, *sources.texts_of_others]
        plan = {one for text in texts for one in _years(text)} - set(_years(fact.statement.text))
        year = int(fact.written)
        known = {int(one) for one in plan if abs(int(one) - year) <= 100 and int(one) < _LATEST}
        near = sorted(known, key=lambda one: (abs(one - year), one))
        shifts = [year + sign * step for step in (8, 15, 27, 40) for sign in rng.sample((1, -1), 2)]
        made = [str(one) for one in (*near, *(one for one in shifts if one < _LATEST))]
        return list(dict.fromkeys(one for one in made if one != fact.written))[:WRONG_OPTIONS]
    quantity = quantities(fact.statement.text)[0]
    factors = rng.sample((0.5, 2.0, 3.0, 5.0), WRONG_OPTIONS)
    made = [changed_number(quantity, fact.written, factor) for factor in factors]
    return [one for one in dict.fromkeys(made) if one != fact.written and float(one.replace(",", "")) > 0]


def _facts_in(statement: PassageStatement) -> Iterator[Fact]:
    """The year and the quantity of a sentence, if it has one of them."""
    text = statement.text
    years = [found for found in _YEAR.finditer(text) if _BEFORE_YEAR.search(text[: found.start()])]
    if len(years) == 1 and int(years[0][0]) < _LATEST:
        yield Fact(statement, years[0].start(), years[0].end(), YEAR)
    measured = quantities(text)
    if len(measured) == 1 and len(_DIGITS.findall(text)) == 1 and measured[0].value:
        yield Fact(statement, measured[0].start, measured[0].end, QUANTITY)


def _is_about(statement: PassageStatement, sources: ConceptSources) -> bool:
    """Say whether a sentence has the words of the concept's name; or names something else at once, under a heading with
    the concept's name or in the passage of its definition."""
    names = [get_term_stems(name, sources.language) for name in sources.own_names]
    if any(name <= get_term_stems(statement.text, sources.language) for name in names):
        return True
    heading = next((one.heading_path[-1:] for one in sources.concept.passages if one.number == statement.number), ())
    headed = any(name <= get_term_stems(text, sources.language) for name in names for text in heading)
    first = statement.number == min(sources.numbers, default=0)
    return (headed or first) and not get_patterns(sources.language).article.match(statement.text)


def _is_anchored(fact: Fact, sources: ConceptSources) -> bool:
    """Say whether the rest of the sentence says what is asked for: enough words, and a name of its own."""
    rest = fact.with_other(" ")
    if len(get_term_stems(rest, sources.language)) < MIN_ANCHOR:
        return False
    if sources.are_named_in(fact.written):
        return False
    if sources.are_named_in(rest):
        return True
    inside = _RUN.finditer(rest, 1)
    return any(not set(found[0].casefold().split()) & _NO_NAMES for found in inside)


def _years(text: str) -> list[str]:
    return [found[0] for found in _YEAR.finditer(text) if _BEFORE_YEAR.search(text[: found.start()][-12:])]
