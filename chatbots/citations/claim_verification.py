"""Check whether the cited passages support the claims of an answer, without asking a language model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise
from operator import mul

from chatbots.citations.claims import extract_claims, extract_uncited_claims
from chatbots.citations.entities import Entity, EntityIndex, extract_entities, find_missing_entities
from chatbots.citations.table_citations import has_another_cell
from chatbots.passages import NumberedPassage
from text.function_words import content_stems, function_words
from text.languages import DETECTABLE, detect_configuration, get_configuration
from text.matching import coverage, inverse_frequencies
from text.negation import Negations, find_negated, negates_all
from text.sentences import split_sentences
from text.stemming import stems
from text.tables import body_rows, drop_tables


class Support(StrEnum):
    """The verdict of a citation check."""

    SUPPORTED = "supported"
    WEAK = "weak"
    NOT_FOUND = "not found"


@dataclass(frozen=True)
class ClaimFeatures:
    """The features of the regression; `verify_claims` describes them."""

    coverage: float
    contrast: float
    numbers_missing: float
    names_missing: float


WEIGHTS, INTERCEPT = ClaimFeatures(4.26, 7.56, -5.78, -1.04), -1.82
"""Fitted by `python -m benchmarks.support CORPUS --fit` on every second article of SQuAD."""

SUPPORTED_FROM, WEAK_FROM = 0.0, -1.0
"""Lowest logits of a supported and of a weak citation."""

MAX_SCORE_IN_CONFLICT = -0.1
"""Highest score of a claim with a number that the passage lacks near its words, or with a negation that only one of
both has: it is never supported."""

MIN_COVERAGE_OF_CONTRADICTION = 0.5
"""Lowest coverage of a passage that is about the same as the claim."""

SOME_SHARED, MOST_SHARED = 0.3, 0.7
"""Shares of the words around a negation that the other side may have; see `_count_shared`."""

MIN_SURE_SPAN = 5.0
"""Lowest logit of an answer that a reader surely found in a passage."""

NEAR, MAX_WORDS_AROUND = 0.15, 10
"""By how much less of so many words on each side of a number than the best window others may cover to be near it."""

_PARTIAL_COVERAGE = 0.25
"""Lowest coverage of a passage that counts as supporting a part of a claim, beside others cited with it."""

MAX_CLAIMS = 200
"""Claims that are checked. Further claims, such as of a model that never stops, have no verdict."""

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_SPACE_OR_SIGN = re.compile(r"[\s*_“”„\"\\|]+")


@dataclass(frozen=True)
class ClaimCheck:
    """The verdict on one marker. `better` is the number of another passage that supports the claim, if there is one."""

    number: int
    state: Support
    score: float
    better: int | None = None
    contradicts: bool = False
    """Whether the passage is about the same and says otherwise, and no other supports the claim."""


def verify_claims(text: str, passages: Sequence[NumberedPassage], *, language: str) -> dict[int, ClaimCheck]:
    """The verdict on each marker of a checked answer that has a claim, by the marker's index in the answer.

    A claim that occurs word for word in the passage is supported. Otherwise a logistic regression decides. It compares
    the claim with windows of the passage: two neighbouring sentences, or a row of a table with its headers.
    - coverage: the share of the claim's stems, without function words and weighted by idf over the sentences of all
      passages, that one window contains;
    - contrast: coverage minus that of the best passage that is not cited;
    - numbers_missing: whether a number or time is not near the rest of the claim;
    - names_missing: how many names are not in the passage.

    A claim is never supported if such a number is missing, if one of both negates what they share more often than the
    other, or if it has something else than the cell of the row and column that it names. So is the first claim that
    cites a passage in which a reader has found an answer to the question that the text lacks.
    Passages that are cited together may each support a part. A passage in another language than the answer gets a
    verdict only if it is supported. `python -m benchmarks.support` measures this.
    """
    sources = _Sources(passages, language)
    found: dict[int, ClaimCheck] = {}
    seen: set[int] = set()
    for claim in extract_claims(text, language)[:MAX_CLAIMS]:
        scorer = _ClaimScorer(claim.text, text, sources)
        for index, number in enumerate(claim.numbers, start=claim.first):
            if number in sources:
                verdict = scorer.verdict(number, [n for n in claim.numbers if n in sources])
                doubts = verdict.score < math.inf and number not in seen
                if doubts and verdict.state == Support.SUPPORTED and sources[number].is_answered_otherwise(text):
                    verdict = replace(verdict, state=Support.WEAK)
                seen.add(number)
                if verdict.state == Support.SUPPORTED or not sources.is_foreign(number, text):
                    found[index] = verdict
    return found


class _Window:
    """A part of a passage that may say a claim."""

    def __init__(self, text: str, words: frozenset[str], row: str = "") -> None:
        self.text, self.words, self.row = text, words, row

    def __add__(self, other: _Window) -> _Window:
        return _Window(f"{self.text} {other.text}", self.words | other.words)

    @cached_property
    def entities(self) -> EntityIndex:
        return EntityIndex.of(self.text)


class _Source:
    """A passage, prepared for comparison with claims."""

    def __init__(self, passage: NumberedPassage, language: str) -> None:
        self.passage, self._language = passage, language

    @cached_property
    def flat(self) -> str:
        return _flat(self.passage.text)

    @cached_property
    def entities(self) -> EntityIndex:
        return _entities_of_source(_whole_text(self.passage))

    @cached_property
    def context(self) -> EntityIndex:
        """What title and headings say of every window."""
        return _entities_of_source("\n".join([self.passage.title, *self.passage.heading_path]))

    @cached_property
    def _prose(self) -> list[_Window]:
        prose = drop_tables(self.passage.text)
        return [self._window(prose[one.start : one.end]) for one in split_sentences(prose, self._language)]

    @cached_property
    def _rows(self) -> list[_Window]:
        return [self._window(str(row), row.fields[0][1]) for row in body_rows(self.passage.text) if row.fields]

    @cached_property
    def sentences(self) -> list[_Window]:
        return [*self._prose, *self._rows] or [self._window("")]

    @cached_property
    def windows(self) -> list[_Window]:
        pairs = [one + other for one, other in pairwise(self._prose)] or self._prose
        return [*pairs, *self._rows] or [self._window("")]

    def is_answered_otherwise(self, text: str) -> bool:
        """Whether a reader has surely found an answer of which the text has less than half."""
        reading = self.passage.reading
        if reading is None or not reading.marks or reading.span < MIN_SURE_SPAN:
            return False
        answer = content_stems(self.passage.text[slice(*reading.answer)], self._language)
        return 2 * len(answer & set(stems(text, self._language))) < len(answer)

    def _window(self, text: str, row: str = "") -> _Window:
        return _Window(text, frozenset(stems(text, self._language)), row)


class _Sources(dict[int, _Source]):
    """The passages by their numbers, and what is known of all of them."""

    def __init__(self, passages: Sequence[NumberedPassage], language: str) -> None:
        super().__init__((passage.number, _Source(passage, language)) for passage in passages)
        self.language = language

    @cached_property
    def sentences(self) -> list[frozenset[str]]:
        """The stems of every sentence."""
        return [one.words for source in self.values() for one in source.sentences]

    def is_foreign(self, number: int, answer: str) -> bool:
        """Whether a passage is in another language than the answer. Tables are ignored: their language is unknown."""
        own = detect_configuration(answer) if len(answer) >= DETECTABLE else get_configuration(self.language)
        prose = drop_tables(self[number].passage.text)
        return len(prose) >= DETECTABLE and detect_configuration(prose) != own

    def lack(self, claim: str, answer: str) -> bool:
        """Whether no passage says a claim, as far as their languages let one know."""
        scorer = _ClaimScorer(claim, answer, self)
        return bool(self) and all(
            scorer.verdict(number, [number]).state == Support.NOT_FOUND and not self.is_foreign(number, answer)
            for number in self
        )


class _ClaimScorer:
    """Scores one claim of an answer against the passages."""

    def __init__(self, words: str, answer: str, sources: _Sources) -> None:
        self._words, self._answer, self._sources = words, answer, sources
        self._flat = _flat(words)

    @cached_property
    def _written(self) -> str:
        return _language_of_names(self._answer, self._sources.language)

    @cached_property
    def _entities(self) -> list[Entity]:
        return extract_entities(self._words, self._written)

    @cached_property
    def _weights(self) -> dict[str, float]:
        language = self._sources.language
        empty = "" if self._written == language else " ".join(function_words(self._written))
        return inverse_frequencies(content_stems(self._words, language, ignored=empty), self._sources.sentences)

    @cached_property
    def _best(self) -> dict[int, _Window]:
        return {number: max(one.windows, key=lambda w: self._weigh(w.words)) for number, one in self._sources.items()}

    def verdict(self, number: int, together: Sequence[int]) -> ClaimCheck:
        """The verdict on one of the passages that are cited together."""
        score, contradicts = self._score([number], together)
        if score < SUPPORTED_FROM and len(together) > 1 and self._cover([number]) >= _PARTIAL_COVERAGE:
            score = max(score, self._score(together, together)[0])
        if score >= SUPPORTED_FROM:
            return ClaimCheck(number, Support.SUPPORTED, score)
        others = {other: self._score([other], [other])[0] for other in self._sources if other not in together}
        best = max(others, key=others.__getitem__, default=None)
        better = best if best is not None and others[best] >= SUPPORTED_FROM else None
        return ClaimCheck(number, _state(score), score, better, contradicts and better is None)

    def _score(self, numbers: Sequence[int], together: Sequence[int]) -> tuple[float, bool]:
        """The logit that these passages, out of those cited together, support the claim, and whether they say
        otherwise."""
        if any(self._flat in self._sources[number].flat for number in numbers):
            return math.inf, False
        own = self.features(numbers, together)
        score = INTERCEPT + math.fsum(map(mul, vars(WEIGHTS).values(), vars(own).values()))
        cited = [self._sources[number] for number in numbers]
        differs = self._is_negated_otherwise(cited) or any(
            has_another_cell(self._words, one.passage.text, self._sources.language) for one in cited
        )
        if not (own.numbers_missing or differs):
            return score, False
        contradicts = differs or self._has_other_numbers(cited)
        return min(score, MAX_SCORE_IN_CONFLICT), contradicts and own.coverage >= MIN_COVERAGE_OF_CONTRADICTION

    def features(self, numbers: Sequence[int], together: Sequence[int]) -> ClaimFeatures:
        """The features of the score. Rivals for the contrast are the passages not cited here."""
        cited = [self._sources[number] for number in numbers]
        covered = self._cover(numbers)
        rivals = [share for other, share in self._covered.items() if other not in together]
        absent = find_missing_entities(self._entities, [source.entities for source in cited])
        return ClaimFeatures(
            coverage=covered,
            contrast=covered - max(rivals, default=0.0),
            numbers_missing=float(any(one.is_number for one in absent) or self._has_displaced_number(cited)),
            names_missing=float(sum(not one.is_number for one in absent)),
        )

    def _has_displaced_number(self, cited: Sequence[_Source]) -> bool:
        """Whether a number of the passage is not near the rest of the claim, and in no title or heading."""
        numbers = [one for one in self._entities if one.is_number and any(each.entities.has(one) for each in cited)]
        numbers = find_missing_entities(numbers, [source.context for source in cited])
        return not all(self._is_near(one, numbers, cited) for one in numbers)

    def _has_other_numbers(self, cited: Sequence[_Source]) -> bool:
        """Whether what covers the claim best has a number that it lacks, of the kind of one of its own: not where it
        counts what the passage lists, nor where the passage spells a number out."""
        kinds, said = {one.kind for one in self._entities if one.is_number}, {one.key for one in self._entities}
        best = [self._best[one.passage.number].text for one in cited]
        others = [one for text in best for one in extract_entities(text, self._written) if one.is_number]
        return any(one.kind in kinds and one.key not in said for one in others)

    def _is_near(self, number: Entity, numbers: Sequence[Entity], cited: Sequence[_Source]) -> bool:
        """Whether a number is in a row that the claim names, or in one of the windows that cover about as much of the
        words around it as the best one does; not if the nearest sentence has a number of that kind in its place."""
        before = self._words[: number.start].split()[-MAX_WORDS_AROUND:]
        around = " ".join([*before, *self._words[number.end :].split()[:MAX_WORDS_AROUND]])
        context = {stem: self._weights.get(stem, 0.0) for stem in set(stems(around, self._sources.language))}

        def weigh(one: _Window) -> float:
            return coverage(one.words, context)

        windows = [one for source in cited for one in source.windows]
        if any(one.entities.has(number) for one in windows if one.row and _flat(one.row) in self._flat):
            return True
        least = max(map(weigh, windows)) - NEAR
        if not any(one.entities.has(number) for one in windows if weigh(one) >= least):
            return False
        nearest = max(
            (one for source in cited for one in source.sentences),
            key=lambda one: (weigh(one), one.entities.has(number)),
        )
        kind, said = number.kind, {one.key for one in numbers}
        instead = [one for one in extract_entities(nearest.text, self._written) if one.is_number and one.kind == kind]
        return nearest.entities.has(number) or all(one.key in said for one in instead)

    def _is_negated_otherwise(self, cited: Sequence[_Source]) -> bool:
        """Whether a sentence of the claim, or else the one nearest to it, negates what both share."""
        every, language = [one for source in cited for one in source.sentences], self._sources.language
        for part in _SENTENCE_END.split(self._words):
            own = frozenset(stems(part, language))
            shares = [self._weigh(one.words & own) for one in every]
            nearest = every[shares.index(max(shares))]
            ours, theirs = find_negated(part, language), find_negated(nearest.text, language)
            differ = _count_shared(ours, nearest.words) != _count_shared(theirs, own, alone=not ours)
            if differ and not (negates_all(ours, theirs) and negates_all(theirs, ours)):
                return True
        return False

    @cached_property
    def _covered(self) -> dict[int, float]:
        """How much of the claim each passage covers."""
        return {number: self._weigh(window.words) for number, window in self._best.items()}

    def _cover(self, numbers: Sequence[int]) -> float:
        if len(numbers) == 1:
            return self._covered[numbers[0]]
        return self._weigh(frozenset[str]().union(*(self._best[number].words for number in numbers)))

    def _weigh(self, found: frozenset[str]) -> float:
        return coverage(found, self._weights)


def _count_shared(negated: Negations, words: frozenset[str], *, alone: bool = False) -> int:
    """How many negations are of words of which the other side has some. It must have most and the first one where
    `alone`: this side is the passage, and the claim negates nothing."""
    shares = [(first, len(one & words) / (len(one) or 1)) for first, one in negated]
    return sum(share >= MOST_SHARED and first <= words if alone else share >= SOME_SHARED for first, share in shares)


def claim_features(
    words: str, passages: Sequence[NumberedPassage], numbers: Sequence[int], *, language: str
) -> ClaimFeatures:
    """The features by which `verify_claims` decides on a claim that cites these passages together."""
    return _ClaimScorer(words, "", _Sources(passages, language)).features(numbers, numbers)


def find_unsupported(
    text: str, passages: Sequence[NumberedPassage], *, question: str, language: str
) -> list[tuple[int, int]]:
    """Where an answer says what no passage says: sentences without a marker, numbers and names.

    Numbers and names of the question may stand in them.
    """
    sources = _Sources(passages, language)
    found = [
        (claim.start, claim.end)
        for claim in extract_uncited_claims(text, language)[:MAX_CLAIMS]
        if sources.lack(claim.text, text)
    ]
    indexes = map(_entities_of_source, (question, *map(_whole_text, passages)))
    missing = find_missing_entities(extract_entities(text, language), indexes)
    if missing and _language_of_names(text, language) != language:
        names = extract_entities(text, "de")
        missing = [one for one in missing if one in names]
    found += [(one.start, one.end) for one in missing if not any(a <= one.start < b for a, b in found)]
    return sorted(found)


def _whole_text(passage: NumberedPassage) -> str:
    return "\n".join([passage.title, *passage.heading_path, passage.text])


_entities_of_source = lru_cache(maxsize=256)(EntityIndex.of)
"""A claim is compared with the same passages as the answer around it, and a class asks about one chapter. Some 8 MB."""


def _state(score: float) -> Support:
    if score >= SUPPORTED_FROM:
        return Support.SUPPORTED
    return Support.WEAK if score >= WEAK_FROM else Support.NOT_FOUND


def _language_of_names(text: str, language: str) -> str:
    """The language whose rule for names applies: a model may answer in German although asked for another language."""
    return "de" if detect_configuration(text) == "german" else language


def _flat(text: str) -> str:
    return _SPACE_OR_SIGN.sub(" ", text).strip(" .").casefold()
