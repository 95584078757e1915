"""Whether the sources of a concept say a statement, stricter than the verification of answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from chatbots.citations import claim_verification
from chatbots.citations.claim_verification import verify_claims
from chatbots.citations.entities import EntityIndex, extract_entities
from learning.questions.sources import ConceptSources, flat
from learning.reading.patterns import get_patterns
from learning.reading.statements import plain
from learning.reading.terms import get_term_stems
from text.sentences import split_sentences
from text.stemming import stems

NEARLY_ALL, WINDOW, WINDOW_MORE = 0.9, 1.25, 1
"""Share of the content words of a statement in one sentence, and over how many words they may spread there: so many
times its own, and some more."""

MIN_TOPIC = 0.5
"""Least share of a number question's words in the sentence that has the number."""


class SupportCheck:
    """Checks statements against the passages of one concept."""

    def __init__(self, sources: ConceptSources) -> None:
        self._sources, self._language = sources, sources.language

    def says(self, statement: str, numbers: Sequence[int]) -> bool:
        """Say whether the passages with these numbers say it: word for word, or by the verification of answers.

        The verification compares words and vectors, to which a "not" means nothing: `contradicts` looks for it.
        """
        words = flat(statement)
        if any(words in self._sources.flats[number] for number in numbers):
            return True
        if self.contradicts(statement):
            return False
        cited = f"{statement.rstrip(' .')} {''.join(f'[{number}]' for number in numbers)}."
        found = verify_claims(cited, self._sources.concept.passages, language=self._language)
        return any(check.state == claim_verification.Support.SUPPORTED for check in found.values())

    def is_near(self, statement: str, numbers: Sequence[int]) -> bool:
        """Say whether one sentence has nearly all content words of a statement close together.

        "A acts on B, while C acts on D" has all words of "A acts on D", but far apart.
        """
        wanted = get_term_stems(statement, self._language)
        room = WINDOW * len(stems(statement, self._language)) + WINDOW_MORE
        return any(
            len(wanted & words) >= NEARLY_ALL * len(wanted)
            and _narrowest(stems(text, self._language), wanted & words) <= room
            for text, words in self._list_sentences(numbers)
        )

    def in_order(self, steps: Sequence[str], numbers: Sequence[int]) -> bool:
        """Say whether these passages have the steps in this order."""
        for number in numbers:
            places = [self._sources.flats[number].find(flat(step)) for step in steps]
            if min(places) >= 0:
                return places == sorted(set(places))
        nearest = [self._place(get_term_stems(step, self._language), numbers) for step in steps]
        return nearest == sorted(set(nearest))

    def _place(self, words: frozenset[str], numbers: Sequence[int]) -> int:
        """The place of the sentence that has most of these words."""
        shares = [len(words & one) for _, one in self._list_sentences(numbers)]
        return shares.index(max(shares)) if shares else -1

    def contradicts(self, statement: str) -> bool:
        """Say whether the sentence nearest to a statement has another number of negations, or an opposite word."""
        patterns, words = get_patterns(self._language), get_term_stems(statement, self._language)
        if not self._sentences:
            return False
        nearest, _ = max(self._sentences, key=lambda one: len(one[1] & words) / (len(one[1] | words) or 1))
        if len(patterns.negation.findall(nearest)) != len(patterns.negation.findall(statement)):
            return True
        ours, theirs = f" {_spaced(statement)} ", f" {_spaced(nearest)} "
        return any(
            f" {mine} " in ours and f" {mine} " not in theirs and f" {other} " in theirs and f" {other} " not in ours
            for pair in patterns.opposites
            for mine, other in (pair, pair[::-1])
        )

    def has_number(self, value: float, about: str, numbers: Sequence[int]) -> bool:
        """Say whether a sentence of these passages has the number and half of the other words of the question."""
        topic, key = get_term_stems(about, self._language), extract_entities(f"is {value:.10g}")[0].key
        return any(
            key in EntityIndex.of(text).numbers and len(topic & words) >= MIN_TOPIC * len(topic)
            for text, words in self._list_sentences(numbers)
        )

    @cached_property
    def _sentences(self) -> list[tuple[str, frozenset[str]]]:
        return self._list_sentences(self._sources.numbers)

    def _list_sentences(self, numbers: Sequence[int]) -> list[tuple[str, frozenset[str]]]:
        """The sentences of these passages in plain text, with their content stems."""
        found = [
            plain(one.text[sentence.start : sentence.end])
            for one in self._sources.concept.passages
            if one.number in numbers
            for sentence in split_sentences(one.text, self._language)
        ]
        return [(text, get_term_stems(text, self._language)) for text in found]


def _spaced(text: str) -> str:
    """The words of a text in small letters, with single spaces between them."""
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def _narrowest(words: Sequence[str], wanted: frozenset[str]) -> int:
    """The least number of neighbouring words that hold all those wanted."""
    last: dict[str, int] = {}
    least = len(words)
    for place, word in enumerate(words):
        if word in wanted:
            last[word] = place
            if len(last) == len(wanted):
                least = min(least, place - min(last.values()) + 1)
    return least
