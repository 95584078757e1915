"""Check whether the cited passages support the claims of an answer, without asking a language model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise, product

from chatbots.citations.claims import extract_claims
from chatbots.citations.entities import Entity, EntityIndex, extract_entities, find_missing_entities
from chatbots.passages import NumberedPassage
from engines.embedding import Embedder
from engines.embedding.cosine_scale import cosine_scale
from engines.embedding.vector_cache import cache
from text.function_words import content_stems, function_words
from text.languages import DETECTABLE, detect_configuration, get_configuration
from text.matching import coverage, inverse_frequencies
from text.sentences import split_sentences
from text.stemming import stems
from text.tables import drop_tables


class Support(StrEnum):
    """The verdict of a citation check."""

    SUPPORTED = "supported"
    WEAK = "weak"
    NOT_FOUND = "not found"


@dataclass(frozen=True)
class ClaimFeatures:
    """The features of the regression; `verify_claims` describes them."""

    coverage: float
    cosine: float
    contrast: float
    number_missing: float
    names_missing: float


WEIGHTS, INTERCEPT = ClaimFeatures(3.48, 4.20, 5.19, -5.77, -0.93), -4.50
LEXICAL_WEIGHTS, LEXICAL_INTERCEPT = ClaimFeatures(4.26, 0.0, 7.56, -5.78, -1.04), -1.82
"""Fitted by `python -m benchmarks.support CORPUS --fit` on every second article of SQuAD, with function words and all
sentence vectors; a fit without them differs by a tenth at most. The lexical ones are for use without vectors."""

SUPPORTED_FROM, WEAK_FROM = 0.0, -2.0
"""Lowest logits of a supported and of a weak citation."""

MAX_SCORE_WITHOUT_NUMBER = -0.1
"""Highest score of a claim with a number that the passage lacks: it is never supported."""

EMBEDDED_SENTENCES = 2
"""Sentences of a passage that are embedded for a claim, at most: those that share most words with it."""

LOWEST_COSINE, LOWEST_BY_COVERAGE = 0.0, 0.4
HIGHEST_COSINE, HIGHEST_BY_COVERAGE = 0.75, 0.5
"""The cosine of a claim with the sentence of a passage that shares most words with it lies between two lines over the
coverage: of 34,375 pairs of SQuAD 0.7 % do not. A sentence is only embedded where this leaves the verdict open, which
changes none of 6,875 verdicts and embeds 1.9 texts a claim instead of 6."""

_PARTIAL_COVERAGE = 0.25
"""Lowest coverage of a passage that counts as supporting a part of a claim, beside others cited with it."""

MAX_CLAIMS = 200
"""Claims that are checked. Further claims, such as of a model that never stops, have no verdict."""

_SPACE_OR_SIGN = re.compile(r"[\s*_“”„\"\\|]+")


@dataclass(frozen=True)
class ClaimCheck:
    """The verdict on one marker. `better` is the number of another passage that supports the claim, if there is one."""

    number: int
    state: Support
    score: float
    better: int | None = None


def verify_claims(
    text: str, passages: Sequence[NumberedPassage], *, language: str, embedder: Embedder | None
) -> dict[int, ClaimCheck]:
    """The verdict on each marker of a checked answer that has a claim, by the marker's index in the answer.

    A claim that occurs word for word in the passage is supported. Otherwise a logistic regression decides, by:
    - coverage: the share of the claim's stems, without function words and weighted by idf over the sentences of all
      passages, that two neighbouring sentences of the passage contain;
    - cosine: the highest with a sentence of the passage, on the scale of `cosine_scale`;
    - contrast: coverage plus cosine, minus the same sum of the best passage that is not cited;
    - whether a number is missing from the passage, and how many names are.

    Passages that are cited together may each support a part. A passage in another language than the answer gets a
    verdict only if it is supported. Without `embedder`, for languages that the model does not know, words alone
    decide. `python -m benchmarks.support` measures this.
    """
    sources = _Sources(passages, embedder, language)
    found: dict[int, ClaimCheck] = {}
    for claim in extract_claims(text, language)[:MAX_CLAIMS]:
        scorer = _ClaimScorer(claim.text, text, sources)
        for index, number in enumerate(claim.numbers, start=claim.first):
            if number in sources:
                verdict = scorer.verdict(number, [n for n in claim.numbers if n in sources])
                if verdict.state == Support.SUPPORTED or not sources.is_foreign(number, text):
                    found[index] = verdict
    return found


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
    def sentences(self) -> list[tuple[str, frozenset[str]]]:
        """Each sentence with its stems."""
        text = self.passage.text
        found = (text[one.start : one.end] for one in split_sentences(text, self._language))
        return [(sentence, frozenset(stems(sentence, self._language))) for sentence in found]

    @cached_property
    def sentence_pairs(self) -> list[frozenset[str]]:
        """The stems of each pair of neighbouring sentences."""
        own = [words for _, words in self.sentences]
        return [one | other for one, other in pairwise(own)] or own or [frozenset()]


class _Sources(dict[int, _Source]):
    """The passages by their numbers, and what is known of all of them."""

    def __init__(self, passages: Sequence[NumberedPassage], embedder: Embedder | None, language: str) -> None:
        super().__init__((passage.number, _Source(passage, language)) for passage in passages)
        self.embedder, self.language = embedder, language

    @cached_property
    def sentences(self) -> list[frozenset[str]]:
        """The stems of every sentence."""
        return [words for source in self.values() for _, words in source.sentences]

    def is_foreign(self, number: int, answer: str) -> bool:
        """Whether a passage is in another language than the answer. Tables are ignored: their language is unknown."""
        own = detect_configuration(answer) if len(answer) >= DETECTABLE else get_configuration(self.language)
        prose = drop_tables(self[number].passage.text)
        return len(prose) >= DETECTABLE and detect_configuration(prose) != own


class _ClaimScorer:
    """Scores one claim of an answer against the passages."""

    def __init__(self, words: str, answer: str, sources: _Sources) -> None:
        self._words, self._answer, self._sources = words, answer, sources
        self._flat = _flat(words)
        self._known: dict[int, list[float]] = {number: [] for number in sources}
        self._absent: dict[tuple[int, ...], list[Entity]] = {}

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
    def _coverages(self) -> dict[int, float]:
        return {number: self._weigh(best) for number, best in self._best.items()}

    @cached_property
    def _best(self) -> dict[int, frozenset[str]]:
        return {number: max(source.sentence_pairs, key=self._weigh) for number, source in self._sources.items()}

    def verdict(self, number: int, together: Sequence[int]) -> ClaimCheck:
        """The verdict on one of the passages that are cited together."""
        if self._flat in self._sources[number].flat:
            return ClaimCheck(number, Support.SUPPORTED, math.inf)
        others = sorted((one for one in self._sources if one not in together), key=lambda one: -self._coverages[one])
        for place, unknown in product(range(EMBEDDED_SENTENCES), (*together, *others)):
            if verdict := self._decided(number, together, others):
                return verdict
            if place == len(self._known[unknown]) < len(self._nearest[unknown]):
                self._embed_next(unknown)
        verdict = self._decided(number, together, others)
        assert verdict is not None  # all cosines are known
        return verdict

    def _decided(self, number: int, together: Sequence[int], others: Sequence[int]) -> ClaimCheck | None:
        """The verdict, if it is the same whatever the cosines that are not known yet."""
        low, high = self._bounds([number], together)
        states = {_state(low), _state(high)}
        if _state(low) != Support.SUPPORTED and self._coverage([number]) >= _PARTIAL_COVERAGE and len(together) > 1:
            least, most = self._bounds(together, together)
            if least >= SUPPORTED_FROM:
                return ClaimCheck(number, Support.SUPPORTED, least)
            states |= {Support.SUPPORTED} if most >= SUPPORTED_FROM else set()
        if len(states) > 1:
            return None
        state, score = states.pop(), (low + high) / 2
        if state == Support.SUPPORTED:
            return ClaimCheck(number, state, score)
        bounds = {other: self._bounds([other], [other]) for other in others}
        may_be_better = {other: least for other, (least, most) in bounds.items() if most >= SUPPORTED_FROM}
        if not may_be_better:
            return ClaimCheck(number, state, score)
        best = max(may_be_better, key=lambda other: bounds[other])
        is_certain = may_be_better[best] >= SUPPORTED_FROM
        is_certain &= all(bounds[one][1] <= bounds[best][0] for one in may_be_better if one != best)
        return ClaimCheck(number, state, score, best) if is_certain else None

    def _bounds(self, numbers: Sequence[int], together: Sequence[int]) -> tuple[float, float]:
        """The lowest and the highest logit that these passages, out of those cited together, support the claim."""
        if any(self._flat in self._sources[number].flat for number in numbers):
            return math.inf, math.inf
        return self._score(numbers, together, 0), self._score(numbers, together, 1)

    def _score(self, numbers: Sequence[int], together: Sequence[int], highest: int) -> float:
        has_vectors = self._sources.embedder is not None
        constant, weights = (INTERCEPT, WEIGHTS) if has_vectors else (LEXICAL_INTERCEPT, LEXICAL_WEIGHTS)
        own = self._features(numbers, together, highest)
        score = constant + math.fsum(
            (
                weights.coverage * own.coverage,
                weights.cosine * own.cosine,
                weights.contrast * own.contrast,
                weights.number_missing * own.number_missing,
                weights.names_missing * own.names_missing,
            )
        )
        return min(score, MAX_SCORE_WITHOUT_NUMBER) if own.number_missing else score

    def features(self, numbers: Sequence[int], together: Sequence[int]) -> ClaimFeatures:
        """The features of the score. Rivals for the contrast are the passages not cited here."""
        for number in self._sources:
            while len(self._known[number]) < len(self._nearest[number]):
                self._embed_next(number)
        return self._features(numbers, together, 0)

    def _features(self, numbers: Sequence[int], together: Sequence[int], highest: int) -> ClaimFeatures:
        """The features with the lowest (0) or the highest (1) score that is possible."""
        absent = self._missing(tuple(numbers))
        coverage = self._coverage(numbers)
        cosine = max(self._cosine_bounds(number)[highest] for number in numbers)
        rivals = [
            self._coverages[other] + self._cosine_bounds(other)[1 - highest]
            for other in self._sources
            if other not in together
        ]
        return ClaimFeatures(
            coverage=coverage,
            cosine=cosine,
            contrast=coverage + cosine - max(rivals, default=0.0),
            number_missing=float(any(one.is_number for one in absent)),
            names_missing=float(sum(not one.is_number for one in absent)),
        )

    def _missing(self, numbers: tuple[int, ...]) -> list[Entity]:
        """The numbers and names of the claim that are in none of these passages."""
        if numbers not in self._absent:
            sources = (self._sources[number].entities for number in numbers)
            self._absent[numbers] = find_missing_entities(self._entities, sources)
        return self._absent[numbers]

    @cached_property
    def _nearest(self) -> dict[int, list[str]]:
        """The sentences of each passage that share most words with the claim; none without vectors."""
        if self._sources.embedder is None:
            return {number: [] for number in self._sources}
        return {
            number: [
                sentence
                for sentence, _ in sorted(source.sentences, key=lambda one: -self._weigh(one[1]))[:EMBEDDED_SENTENCES]
            ]
            for number, source in self._sources.items()
        }

    def _cosine_bounds(self, number: int) -> tuple[float, float]:
        """The lowest and the highest that the largest cosine with a sentence may be; (0, 0) without vectors."""
        known = self._known[number]
        if len(known) == len(self._nearest[number]):
            return max(known, default=0.0), max(known, default=0.0)
        coverage = self._coverages[number]
        lowest = LOWEST_COSINE + LOWEST_BY_COVERAGE * coverage
        highest = min(1.0, HIGHEST_COSINE + HIGHEST_BY_COVERAGE * coverage)
        return max(known, default=lowest), max([highest, *known])

    def _embed_next(self, number: int) -> None:
        """Compare the next sentence of a passage with the claim, on the scale of `cosine_scale`."""
        embedder, known = self._sources.embedder, self._known[number]
        assert embedder is not None
        (vector,) = cache.embed([self._nearest[number][len(known)]], embedder)
        known.append(cosine_scale(embedder).apply(float(vector @ embedder.embed_query(self._words))))

    def _coverage(self, numbers: Sequence[int]) -> float:
        if len(numbers) == 1:
            return self._coverages[numbers[0]]
        return self._weigh(frozenset().union(*(self._best[number] for number in numbers)))

    def _weigh(self, found: frozenset[str]) -> float:
        return coverage(found, self._weights)


def claim_features(
    words: str,
    passages: Sequence[NumberedPassage],
    numbers: Sequence[int],
    *,
    language: str,
    embedder: Embedder | None,
) -> ClaimFeatures:
    """The features by which `verify_claims` decides on a claim that cites these passages together."""
    return _ClaimScorer(words, "", _Sources(passages, embedder, language)).features(numbers, numbers)


def find_unsupported_entities(
    text: str, passages: Sequence[NumberedPassage], *, question: str, language: str
) -> list[Entity]:
    """Numbers and names of an answer that occur neither in a passage nor in the question."""
    indexes = (_entities_of_source(one) for one in (question, *map(_whole_text, passages)))
    missing = find_missing_entities(extract_entities(text, language), indexes)
    if not missing or language.startswith("de") or _language_of_names(text, language) == language:
        return missing
    names = extract_entities(text, "de")
    return [one for one in missing if one in names]


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
