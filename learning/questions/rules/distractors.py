"""Wrong options of the same type as the right one: names and meanings of other concepts of the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from learning.questions.text.definitions import DefiningSentence, genus
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sources import WRONG_OPTIONS, ConceptSources, OtherConcept, flat
from learning.questions.text.terms import are_alike, find_term, get_term_stems, is_plural, overlap

MAX_OVERLAP = 0.34
"""Highest share of stems that the meanings of two options may have in common: else both may be right."""

MAX_TOGETHER = 2
"""Sentences that may speak of the concept together with a wrong term: more of them, and both may be nearly the same."""

_LENGTHS = 1.6
_NEAR = 3
"""How much nearer a concept is that the passages speak of: it is easier to confuse."""


def wrong_terms(sources: ConceptSources, right: DefiningSentence, rng: Random) -> list[str]:
    """Names of other concepts that cannot be meant by this meaning, those of a like form first; at most three."""
    fitting = [
        one
        for one in _unrelated(sources, right)
        if sources.together[one.name] <= MAX_TOGETHER
        and not find_term(right.statement.text, one.name, sources.language)
        and is_plural(one.name) == is_plural(right.term)
    ]
    length, words = len(right.term.split()), get_term_stems(right.term, sources.language)

    def distance(one: OtherConcept) -> int:
        shared = len(get_term_stems(one.name, sources.language) & words)
        return abs(len(one.name.split()) - length) - 2 * shared - _NEAR * (one.name in sources.mentioned)

    return _distinct(_shuffled(fitting, rng, distance), sources, by_name=True)


def wrong_meanings(sources: ConceptSources, right: DefiningSentence, rng: Random) -> list[str]:
    """Meanings of other concepts that are none of this concept, of a like length; at most three."""
    own = " ".join(sources.flats.values())
    length = len(right.meaning)
    fitting = [
        one
        for one in _unrelated(sources, right)
        if one.meaning
        and not sources.together[one.name]
        and length / _LENGTHS <= len(one.meaning) <= length * _LENGTHS
        and not find_term(one.meaning, right.term, sources.language)
        and flat(one.meaning) not in own
        and not any(find_term(about.text, one.name, sources.language) for about in sources.about)
    ]
    return _distinct(_shuffled(fitting, rng, lambda one: -(one.name in sources.mentioned)), sources, by_name=False)


def _unrelated(sources: ConceptSources, right: DefiningSentence) -> list[OtherConcept]:
    """Concepts that are neither the right one, nor a kind of it, nor defined in like words."""
    language, meaning = sources.language, get_term_stems(right.meaning, sources.language)
    return [
        one
        for one in sources.others
        if not any(
            are_alike(name, own, language)
            for name in (one.name, *one.synonyms)
            for own in (right.term, *sources.own_names)
        )
        and not find_term(one.definition, right.term, language)
        and not any(find_term(right.meaning, name, language) for name in (one.name, *one.synonyms))
        and overlap(get_term_stems(one.meaning, language) if one.meaning else (), meaning) <= MAX_OVERLAP
        and not _may_be_a_kind(one, right, language)
    ]


def _may_be_a_kind(one: OtherConcept, right: DefiningSentence, language: str) -> bool:
    """Say whether both are the same sort of thing, and the meaning of one is a class that may contain the other.

    Gravity may be "a force that acts from outside"; power is never "the rate at which an object moves".
    """
    is_class = get_patterns(language).class_of
    if not (is_class.match(right.meaning) or is_class.match(one.meaning)):
        return False
    sort = genus(one.meaning, language) if one.meaning else get_term_stems(one.definition, language)
    return bool(genus(right.meaning, language) & sort)


def _shuffled(
    found: Iterable[OtherConcept], rng: Random, distance: Callable[[OtherConcept], int]
) -> list[OtherConcept]:
    """The nearest six by distance, in random order, and the others after them."""
    mixed = list(found)
    rng.shuffle(mixed)
    ranked = sorted(mixed, key=distance)
    nearest = ranked[:6]
    rng.shuffle(nearest)
    return nearest + ranked[6:]


def _distinct(found: Iterable[OtherConcept], sources: ConceptSources, *, by_name: bool) -> list[str]:
    """The first three that are not alike."""
    kept: list[OtherConcept] = []
    for one in found:
        alike = any(
            are_alike(one.name, other.name, sources.language)
            or overlap(get_term_stems(one.meaning, sources.language), get_term_stems(other.meaning, sources.language))
            > MAX_OVERLAP
            for other in kept
            if (one.meaning and other.meaning) or by_name
        )
        if not alike:
            kept.append(one)
    return [one.name if by_name else one.meaning for one in kept[:WRONG_OPTIONS]]
