"""Wrong options of the same type as the right one: names and meanings of other concepts of the plan."""

from __future__ import annotations

from random import Random

from learning.questions.sources import WRONG_OPTIONS, ConceptSources, OtherConcept
from learning.reading.definitions import DefiningSentence, find_genus
from learning.reading.patterns import are_opposed, get_patterns
from learning.reading.terms import are_alike, find_term, get_term_stems, is_plural, overlap

MAX_OVERLAP = 0.34
"""Highest share of stems that the meanings of two options may have in common: else both may be right."""


def wrong_terms(sources: ConceptSources, right: DefiningSentence, rng: Random) -> list[str]:
    """Names of other concepts that cannot be meant by this meaning: at most three, the nearest first."""
    fitting = [
        one
        for one in _list_unrelated(sources, right)
        if not find_term(right.statement.text, one.name, sources.language)
        and is_plural(one.name) == is_plural(right.term)
    ]
    return [one.name for one in _pick(fitting, sources, right, rng)]


def wrong_meanings(sources: ConceptSources, right: DefiningSentence, rng: Random) -> list[str]:
    """Meanings of other concepts that are none of this concept, of a like length; at most three."""
    length = len(right.meaning)
    fitting = [
        one
        for one in _list_unrelated(sources, right)
        if one.meaning and length / 2.0 <= len(one.meaning) <= length * 2.0
    ]
    return [one.meaning for one in _pick(fitting, sources, right, rng)]


def _list_unrelated(sources: ConceptSources, right: DefiningSentence) -> list[OtherConcept]:
    """Concepts that are neither the right one, nor a kind of it, nor defined in like words unless by an opposite."""
    language, meaning = sources.language, get_term_stems(right.meaning, sources.language)
    found = []
    for one in sources.others:
        names, words = (one.name, *one.synonyms), get_term_stems(one.meaning or one.definition, language)
        if any(are_alike(name, own, language) for name in names for own in (right.term, *sources.own_names)):
            continue
        if find_term(one.definition, right.term, language):
            continue
        if any(find_term(right.meaning, name, language) for name in names):
            continue
        is_close = overlap(words, meaning) > MAX_OVERLAP or _may_be_a_kind(one, right, language)
        if not is_close or are_opposed(one.definition, right.statement.text, language):
            found.append(one)
    return found


def _may_be_a_kind(one: OtherConcept, right: DefiningSentence, language: str) -> bool:
    """Say whether both are the same sort of thing, and the meaning of one is a class that may contain the other.

    Gravity may be "a force that acts from outside"; power is never "the rate at which an object moves".
    """
    is_class = get_patterns(language).class_of
    if not (is_class.match(right.meaning) or is_class.match(one.meaning)):
        return False
    sort = find_genus(one.meaning, language) if one.meaning else get_term_stems(one.definition, language)
    return bool(find_genus(right.meaning, language) & sort)


def _pick(
    found: list[OtherConcept], sources: ConceptSources, right: DefiningSentence, rng: Random
) -> list[OtherConcept]:
    """Pick three that are not alike among the nearest: those of which the passages speak, with as many words."""
    rng.shuffle(found)
    length = len(right.term.split())
    found.sort(key=lambda one: (one.name not in sources.mentioned, abs(len(one.name.split()) - length)))
    nearest = found[: 2 * WRONG_OPTIONS]
    rng.shuffle(nearest)
    kept: list[OtherConcept] = []
    for one in (*nearest, *found[2 * WRONG_OPTIONS :]):
        if not any(are_alike(one.name, other.name, sources.language) for other in kept):
            kept.append(one)
    return kept[:WRONG_OPTIONS]
