"""What tells a right short answer from a wrong one: features against the reference and the source."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engines.embedding import Embedder
from engines.embedding.cosine_scale import cosine_scale
from engines.embedding.models import ANY_LANGUAGE
from learning.grading.answer_words import ALIKE, SPELT_ALIKE, Cosine, Token, content_of, similarity, tokens_of
from learning.grading.opposites import are_opposite, negations

_ASKS_TWO = re.compile(
    r"\b(?:two|both|and (?:in )?(?:what|why|when|how|which|until)|dos|deux|beiden?|zwei)\b|, (?:und|et|y) "
)


@dataclass(frozen=True)
class ShortQuestion:
    """A question for a short answer, with the reference answer and its source, in a language."""

    prompt: str
    reference: str
    source: str
    language: str


class AnswerComparison:
    """A short answer beside its question, prepared for comparison."""

    def __init__(self, question: ShortQuestion, given: str, embedder: Embedder | None) -> None:
        self.language = question.language
        self.vectors = _Vectors(embedder) if embedder and _knows(embedder, self.language) else None
        self.question, self.given = question, given
        self.all = tokens_of(given, self.language)
        self.all_reference = tokens_of(question.reference, self.language)
        self.all_source = tokens_of(question.source, self.language)
        self.answer = self._content(self.all)
        self.reference = self._content(self.all_reference) or self.all_reference
        self.source = self._content(self.all_source)
        self.prompt = self._content(tokens_of(question.prompt, self.language))

    def _content(self, tokens: Sequence[Token]) -> list[Token]:
        return content_of(tokens, self.language)

    @cached_property
    def asked_for(self) -> list[Token]:
        """Words of the reference that the question does not say already."""
        said = {token.stem for token in self.prompt}
        return [token for token in self.reference if token.stem not in said] or self.reference

    def best(self, token: Token, among: Iterable[Token]) -> float:
        """The highest similarity of a word with one of others, by meaning too."""
        cosine: Cosine | None = self.vectors.cosine if self.vectors else None
        return max((similarity(token, other, self.language, cosine) for other in among), default=0.0)

    def same(self, token: Token, among: Iterable[Token]) -> str | None:
        """The stem of the same word among others, perhaps misspelt."""
        best, found = 0.0, None
        for other in among:
            if (value := similarity(token, other, self.language, None)) > best:
                best, found = value, other.stem
        return found if best >= SPELT_ALIKE else None

    @cached_property
    def known(self) -> list[tuple[Token, str | None, str | None]]:
        """Each content word of the answer, as a word of reference or source, and as one of the question."""
        texts = [*self.reference, *self.source]
        return [(token, self.same(token, texts), self.same(token, self.prompt)) for token in self.answer]

    @cached_property
    def said(self) -> set[str]:
        """The stems of reference, source and question that the answer has."""
        return {stem for _, text, prompt in self.known for stem in (text, prompt) if stem}

    @cached_property
    def literal(self) -> float:
        """How much the answer is made of the words of reference and source: the share of its own words that stand
        there, times the share of the reference that it has."""
        own = sum(text is not None for _, text, _ in self.known) / (len(self.answer) or 1)
        return own * sum(token.stem in self.said for token in self.reference) / (len(self.reference) or 1)

    def part_coverage(self, tokens: Sequence[Token]) -> list[float]:
        """The coverage of each part of the reference by the answer, by meaning."""
        parts = defaultdict(list)
        for token in tokens:
            parts[token.part].append(self.best(token, self.answer))
        return [sum(values) / len(values) for values in parts.values()]

    def negated_parts(self, tokens: Sequence[Token]) -> set[int]:
        """The parts of a text with a negation."""
        words = negations(self.language)
        return {token.part for token in tokens if token.word in words}


def _knows(embedder: Embedder, language: str) -> bool:
    return embedder.languages == ANY_LANGUAGE or language[:2] in embedder.languages


class _Vectors:
    """Cosines of short texts, on the scale of the packaged model."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._scale = embedder, cosine_scale(embedder)
        self._known: dict[str, NDArray[np.float32]] = {}

    def cosine(self, one: str, other: str) -> float:
        return float(self._scale.apply(float(self._vector(one) @ self._vector(other))))

    def _vector(self, text: str) -> NDArray[np.float32]:
        if text not in self._known:
            self._known[text] = self._embedder.embed_passages([text])[0]
        return self._known[text]


def answer_features(compared: AnswerComparison) -> dict[str, float]:
    """Return the features of an answer by name; `short_answers` describes them."""
    found = _order_features(compared) | _conflict_features(compared)
    found["conflict"] = max(
        1.5 * found["disorder"],
        1.5 * found["swapped"],
        1.5 * found["polarity"],
        found["opposite"],
        found["number"],
        0.6 * found["substituted"],
    )
    is_any = ("swapped_any", "opposite_any", "polarity_any", "number")
    found["conflict_any"] = max(found[name] for name in is_any) / 2
    found |= _coverage_features(compared)
    return found | _vector_features(compared, found)


def _order_features(compared: AnswerComparison) -> dict[str, float]:
    """Whether the words of reference and source stand in another order or company, or one in place of another."""
    stems = [text or prompt or token.stem for token, text, prompt in compared.known]
    disorder, nearest, substituted = 1.0, 0.4, 0
    for tokens in (compared.reference, compared.source):
        theirs = [token.stem for token in tokens]
        blocks = SequenceMatcher(None, stems, theirs, autojunk=False).get_opcodes()
        in_order = sum(end - start for kind, start, end, _, _ in blocks if kind == "equal")
        if shared := sum(stem in theirs for stem in stems):
            disorder = min(disorder, 1 - in_order / shared)
        if stems and in_order / len(stems) > nearest:
            nearest = in_order / len(stems)
            substituted = sum(
                kind == "replace" and _is_another(compared, compared.answer[a:b], tokens[c:d])
                for kind, a, b, c, d in blocks
            )
    pairs = _pairs_of_parts(compared)
    swapped = pairs if disorder > 0 else 0.0
    known = sum(text is not None for _, text, _ in compared.known)
    return {
        "disorder": disorder * compared.literal if known >= 2 else 0.0,
        "substituted": float(substituted > 0),
        "swapped": swapped * compared.literal,
        "swapped_any": swapped,
    }


def _is_another(compared: AnswerComparison, own: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether one or two words stand for others. Vectors do not tell: those of opposites are near."""
    like = any(similarity(one, other, compared.language, None) >= ALIKE for one in own for other in theirs)
    return len(own) <= 2 and len(theirs) <= 2 and not like


def _pairs_of_parts(compared: AnswerComparison) -> float:
    """The share of pairs of words that stand together in the answer, but in different parts of reference and source."""
    shares = []
    for tokens in (compared.reference, compared.source):
        places = defaultdict(set)
        for token in tokens:
            places[token.stem].add(token.part)
        together = defaultdict(list)
        for token, text, prompt in compared.known:
            stem = text if text in places else prompt
            if stem and len(places.get(stem, ())) == 1:
                together[token.part].append(next(iter(places[stem])))
        pairs = [one != other for parts in together.values() for one, other in combinations(parts, 2)]
        if pairs and len({token.part for token in tokens}) > 1:
            shares.append(sum(pairs) / len(pairs))
    return min(shares, default=0.0)


def _conflict_features(compared: AnswerComparison) -> dict[str, float]:
    """Negations, opposites and numbers that contradict the reference."""
    own, theirs = compared.negated_parts(compared.all), compared.negated_parts(compared.all_reference)
    in_source = compared.negated_parts(compared.all_source)
    differing = shared = 0
    for token, stem, _ in compared.known:
        if stem is not None:
            places = {one.part in theirs for one in compared.reference if one.stem == stem}
            places |= {one.part in in_source for one in compared.source if one.stem == stem}
            shared += 1
            differing += (token.part in own) not in places
    opposites = [
        _company(compared, token, other)
        for token in compared.answer
        if compared.same(token, compared.reference) is None and token.part not in own
        for other in compared.reference
        if are_opposite(token.stem, other.stem, compared.language)
        and other.stem not in compared.said
        and other.part not in theirs
    ]
    return {
        "polarity": differing / (shared or 1) * compared.literal,
        "polarity_any": float(differing > 0),
        "opposite": max(opposites, default=0.0),
        "opposite_any": float(bool(opposites)),
        "number": _wrong_number(compared),
    }


def _company(compared: AnswerComparison, token: Token, other: Token) -> float:
    """How much of what stands beside a word of the answer belongs to the reference or the question as well."""
    beside = [(text or prompt) for one, text, prompt in compared.known if one.part == token.part and one is not token]
    if not beside:
        return 0.5
    theirs = {one.stem for one in [*compared.reference, *compared.prompt] if one is not other}
    return len({stem for stem in beside if stem in theirs}) / len(beside)


def _wrong_number(compared: AnswerComparison) -> float:
    """1 if the answer has numbers of its own and none of those of the reference."""
    wanted = {token.stem for token in compared.all_reference if token.is_number}
    numbers = [token for token in compared.all if token.is_number]
    own = {compared.same(token, compared.all_reference) or token.stem for token in numbers}
    elsewhere = {token.stem for token in [*compared.all_source, *compared.prompt] if token.is_number}
    return float(bool(wanted) and bool(own - elsewhere - wanted) and not own & wanted)


def _coverage_features(compared: AnswerComparison) -> dict[str, float]:
    """How much of the reference the answer has."""
    parts = compared.part_coverage(compared.asked_for)
    whole = max(compared.part_coverage(compared.reference), default=0.0)
    best = max(max(parts, default=0.0), whole if whole > 0.8 else 0.0)
    said = {token.stem for token in compared.prompt}
    new = [token for token, _, prompt in compared.known if token.stem not in said and prompt is None]
    length = min(1.0, len(compared.answer) / (len(compared.reference) or 1))
    asks_two = bool(_ASKS_TWO.search(compared.question.prompt.lower()))
    own_parts, their_parts = ({token.part for token in tokens} for tokens in (compared.answer, compared.reference))
    return {
        "covered": sum(compared.best(token, compared.answer) for token in compared.asked_for)
        / (len(compared.asked_for) or 1),
        "best_part": max(parts, default=0.0),
        "worst_part": min(parts, default=0.0),
        "off_topic": max(0.0, 0.5 - best),
        "missed": 1 - best,
        "copied": float(any(_is_within(compared.all, one) for one in (compared.all_source, compared.all_reference))),
        "length": length,
        "new_words": min(1.0, len(new) / (len({token.stem for token in compared.asked_for}) or 1)),
        "parts": min(1.0, len(own_parts) / (len(their_parts) or 1)),
        "few_words": float(len(compared.answer) <= 2),
        "asks_two": float(asks_two),
        "length_of_two": asks_two * length,
    }


def _is_within(tokens: Sequence[Token], text: Sequence[Token]) -> bool:
    own, theirs = [token.stem for token in tokens], [token.stem for token in text]
    return len(own) > 1 and any(theirs[n : n + len(own)] == own for n in range(len(theirs) - len(own) + 1))


def _vector_features(compared: AnswerComparison, found: dict[str, float]) -> dict[str, float]:
    """Cosines of the answer with the reference and its parts, if the embedder knows the language."""
    vectors, question, given = compared.vectors, compared.question, compared.given
    if vectors is None:
        return {}
    answered = vectors.cosine(f"{question.prompt} {given}", f"{question.prompt} {question.reference}")
    nearness = vectors.cosine(given, question.reference)
    own = [given, *_texts_of_parts(compared.all, {token.part for token in compared.all})]
    theirs = _texts_of_parts(compared.all_reference, {token.part for token in compared.asked_for})
    parts = [max(vectors.cosine(part, text) for text in own) for part in theirs]
    far = min(found["missed"], 1 - min(1.0, max(0.0, (max(parts) - 0.2) / 0.6)))
    return {
        "cosine": answered,
        "worst_part_cosine": min(parts),
        "cosine_too_low": max(0.0, 0.9 - answered),
        "reference_too_far": max(0.0, 0.5 - nearness),
        "parts_too_far": max(0.0, far - 0.3),
        "nearer_than_question": nearness - vectors.cosine(given, question.prompt),
    }


def _texts_of_parts(tokens: Sequence[Token], parts: set[int]) -> list[str]:
    return [" ".join(token.word for token in tokens if token.part == part) for part in sorted(parts)]
