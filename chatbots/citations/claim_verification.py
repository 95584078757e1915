"""Check whether the cited passages support the claims of an answer, without asking a language model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chatbots.citations.claims import claims_of
from chatbots.citations.entities import Entity, EntityIndex, entities_not_in, entities_of, missing_entities
from engines.embedding import Embedder
from engines.embedding.cosine_scale import cosine_scale
from engines.llm import NumberedPassage
from text.function_words import content_stems, function_words
from text.languages import DETECTABLE, configuration_of, detect_configuration
from text.matching import coverage, inverse_frequencies
from text.sentences import split_sentences
from text.stemming import stems
from text.tables import without_tables


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
"""Sentences of a passage that are embedded for a claim: those that share most words with it."""

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
    - cosine: the highest with a sentence of the passage, on the scale of the packaged embedding model;
    - contrast: coverage plus cosine, minus the same sum of the best passage that is not cited;
    - whether a number is missing from the passage, and how many names are.

    Passages that are cited together may each support a part. A passage in another language than the answer gets a
    verdict only if it is supported. Without `embedder`, for languages that the model does not know, words alone
    decide. `python -m benchmarks.support` measures this.
    """
    sources = {passage.number: _Source(passage, embedder, language) for passage in passages}
    foreign, written = _in_another_language(text, passages, language), _language_of_names(text, language)
    found: dict[int, ClaimCheck] = {}
    for claim in claims_of(text, language)[:MAX_CLAIMS]:
        scorer = _ClaimScorer(claim.text, language, written, sources, embedder)
        for index, number in enumerate(claim.numbers, start=claim.first):
            if number in sources:
                verdict = scorer.verdict(number, [n for n in claim.numbers if n in sources])
                if number not in foreign or verdict.state == Support.SUPPORTED:
                    found[index] = verdict
    return found


def _in_another_language(text: str, passages: Sequence[NumberedPassage], language: str) -> set[int]:
    """The numbers of passages in another language than the answer. Tables are ignored: their language is unknown."""
    own = detect_configuration(text) if len(text) >= DETECTABLE else configuration_of(language)
    return {
        passage.number
        for passage in passages
        if len(prose := without_tables(passage.text)) >= DETECTABLE and detect_configuration(prose) != own
    }


class _Source:
    """A passage, prepared for comparison with claims."""

    def __init__(self, passage: NumberedPassage, embedder: Embedder | None, language: str) -> None:
        self.number = passage.number
        self.text = "\n".join([passage.title, *passage.heading_path, passage.text])
        self.flat = _flat(passage.text)
        found = split_sentences(passage.text, language)
        self._sentences = [passage.text[sentence.start : sentence.end] for sentence in found]
        self.stems = [set(stems(sentence, language)) for sentence in self._sentences]
        self._embedder = embedder
        self._vectors: dict[int, NDArray[np.float32]] = {}

    @cached_property
    def entities(self) -> EntityIndex:
        return EntityIndex.of(self.text)

    def cosine(self, vector: NDArray[np.float32] | None, weigh: Callable[[set[str]], float]) -> float:
        """The highest cosine with a sentence, on the scale of the packaged model; 0 without a vector.

        Only the sentences that share most words with the claim are compared.
        """
        if vector is None or self._embedder is None or not self._sentences:
            return 0.0
        by_weight = sorted(range(len(self.stems)), key=lambda index: -weigh(self.stems[index]))
        nearest = max(float(self._vector(index) @ vector) for index in by_weight[:EMBEDDED_SENTENCES])
        return cosine_scale(self._embedder).apply(nearest)

    def _vector(self, index: int) -> NDArray[np.float32]:
        if index not in self._vectors:
            assert self._embedder is not None
            self._vectors[index] = self._embedder.embed_passages([self._sentences[index]])[0]
        return self._vectors[index]

    @cached_property
    def sentence_pairs(self) -> list[set[str]]:
        """The stems of each pair of neighbouring sentences."""
        return [one | other for one, other in pairwise(self.stems)] or self.stems or [set()]


class _ClaimScorer:
    """Scores one claim against the passages."""

    def __init__(
        self,
        words: str,
        language: str,
        written: str,
        sources: dict[int, _Source],
        embedder: Embedder | None,
    ) -> None:
        self._sources = sources
        self._words, self._flat = words, _flat(words)
        self._entities = entities_of(words, written)
        sentences = [sentence for source in sources.values() for sentence in source.stems]
        empty = "" if written == language else " ".join(function_words(written))
        self._weights = inverse_frequencies(content_stems(words, language, ignored=empty), sentences)
        self._embedder = embedder

    @cached_property
    def _best(self) -> dict[int, set[str]]:
        return {number: max(source.sentence_pairs, key=self._weigh) for number, source in self._sources.items()}

    @cached_property
    def _cosine(self) -> dict[int, float]:
        """Computed only when needed: a claim that occurs word for word in its passage needs no vectors."""
        vector = self._embedder.embed_query(self._words) if self._embedder else None
        return {number: source.cosine(vector, self._weigh) for number, source in self._sources.items()}

    def verdict(self, number: int, together: Sequence[int]) -> ClaimCheck:
        """The verdict on one of the passages that are cited together."""
        score, whole = self.score([number], together), self.score(together, together)
        if score < SUPPORTED_FROM <= whole and self._coverage([number]) >= _PARTIAL_COVERAGE:
            score = whole
        if score >= SUPPORTED_FROM:
            return ClaimCheck(number, Support.SUPPORTED, score)
        others = {other: self.score([other], [other]) for other in self._sources if other not in together}
        better = max(
            (other for other in others if others[other] >= SUPPORTED_FROM),
            key=others.__getitem__,
            default=None,
        )
        return ClaimCheck(number, Support.WEAK if score >= WEAK_FROM else Support.NOT_FOUND, score, better)

    def score(self, numbers: Sequence[int], together: Sequence[int]) -> float:
        """The logit that these passages, out of those cited together, support the claim."""
        if any(self._flat in self._sources[number].flat for number in numbers):
            return math.inf
        constant, weights = (INTERCEPT, WEIGHTS) if self._embedder else (LEXICAL_INTERCEPT, LEXICAL_WEIGHTS)
        features = self.features(numbers, together)
        score = constant + math.fsum(a * b for a, b in zip(astuple(weights), astuple(features), strict=True))
        return min(score, MAX_SCORE_WITHOUT_NUMBER) if features.number_missing else score

    def features(self, numbers: Sequence[int], together: Sequence[int]) -> ClaimFeatures:
        """The features of the score. Rivals for the contrast are the passages not cited here."""
        absent = missing_entities(self._entities, [self._sources[number].entities for number in numbers])
        coverage, cosine = self._coverage(numbers), max(self._cosine[number] for number in numbers)
        rivals = [self._coverage([other]) + self._cosine[other] for other in self._sources if other not in together]
        return ClaimFeatures(
            coverage=coverage,
            cosine=cosine,
            contrast=coverage + cosine - max(rivals, default=0.0),
            number_missing=float(any(one.is_number for one in absent)),
            names_missing=float(sum(not one.is_number for one in absent)),
        )

    def _coverage(self, numbers: Sequence[int]) -> float:
        return self._weigh(set().union(*(self._best[number] for number in numbers)))

    def _weigh(self, found: set[str]) -> float:
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
    sources = {passage.number: _Source(passage, embedder, language) for passage in passages}
    return _ClaimScorer(words, language, language, sources, embedder).features(numbers, numbers)


def find_unsupported_entities(
    text: str, passages: Sequence[NumberedPassage], *, question: str, language: str
) -> list[Entity]:
    """Numbers and names of an answer that occur neither in a passage nor in the question."""
    texts = ["\n".join([passage.title, *passage.heading_path, passage.text]) for passage in passages]
    return entities_not_in(entities_of(text, _language_of_names(text, language)), [question, *texts])


def _language_of_names(text: str, language: str) -> str:
    """The language whose rule for names applies: a model may answer in German although asked for another language."""
    return "de" if detect_configuration(text) == "german" else language


def _flat(text: str) -> str:
    return _SPACE_OR_SIGN.sub(" ", text).strip(" .").casefold()
