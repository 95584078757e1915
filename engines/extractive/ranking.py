"""What a sentence of a passage is worth as an answer: a few features that people can check, weighed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from engines.embedding import Embedder
from engines.embedding.calibration import line_of
from engines.extractive.question_types import Kind, defines, expected, term_of
from engines.llm import NumberedPassage, Prompt
from text.function_words import FUNCTION_WORDS
from text.stemming import Stems, codes_in

if TYPE_CHECKING:
    from engines.extractive.selection import Evidence


@dataclass(frozen=True)
class Features:
    """What tells whether a sentence answers a question: see `Weighing.features`."""

    cosine: float
    coverage: float
    closeness: float
    before: float
    pairs: float
    kind: float
    standing: float
    excerpt: float


WEIGHTS = Features(6.0, 3.0, 1.5, 1.5, 2.0, 0.9, 1.0, 1.0)
"""`python -m benchmarks.sentences CORPUS` fits them on every other article of SQuAD, whose questions share more words
with their passages than those of a class: so the cosine is held at 6 and words count less than fitted, which lost
nothing on the other articles."""

_HEADING = 0.4  # of coverage: what a heading names counts for a sentence below it, too
_WINDOW = 12  # words that count as close together
_DEFINES = 3.0  # for a sentence that says what a thing is, when that is asked
# Of the section asked for by its code the first sentences are the answer.
_UNDER_CODE, _LESS_FOR_EACH = 8.0, 1.0
_CERTAIN = 1e-4  # from 0 and 1: as sure as a relevance can be


class Weighing:
    """A question and all candidates to answer it."""

    def __init__(self, prompt: Prompt, candidates: Sequence[Evidence]) -> None:
        self._prompt = prompt
        self._stems = Stems(prompt.language)
        every = self._stems.in_order(prompt.question)
        functional = self._stems.of(" ".join(FUNCTION_WORDS.get(prompt.language[:2].lower(), ())))
        self._expected = expected(prompt.question)
        functional |= self._stems.of(self._expected.cue)
        self._asked = set(every) - functional or set(every)
        self._pairs = set(pairwise(every))
        self._term = self._stems.in_order(term_of(prompt.question))
        self._headings = {
            passage.number: self._stems.of(" ".join([passage.title, *passage.heading_path])) & self._asked
            for passage in prompt.passages
        }
        contained = [self._stems.of(candidate.text) & self._asked for candidate in candidates]
        self._weights = _inverse_frequencies(self._asked, [*contained, *self._headings.values()])
        self._total = math.fsum(self._weights.values()) or 1.0
        self._standing = _standings(prompt.passages)
        numbers: Counter[int] = Counter()
        self._order: dict[tuple[int, int], int] = {}
        for candidate in candidates:
            self._order[candidate.place] = numbers[candidate.passage.number]
            numbers[candidate.passage.number] += 1

    def by_words(self, candidate: Evidence) -> float:
        """Return what a candidate is worth, without its cosine."""
        score = math.fsum(
            weight * value
            for weight, value in zip(astuple(WEIGHTS), astuple(self.features(candidate)), strict=True)
        )
        if self._term:
            score += _DEFINES * self._defines(candidate)
        if codes_in(self._headings[candidate.passage.number]):
            score += max(0.0, _UNDER_CODE - _LESS_FOR_EACH * self._order[candidate.place])
        return score

    def by_vectors(self, candidates: Sequence[Evidence], embedder: Embedder) -> list[float]:
        """Return what the cosines of candidates add to that: on the scale of the packaged model."""
        line = line_of(embedder)
        vectors = embedder.embed_passages([candidate.meaning for candidate in candidates])
        cosines = vectors @ embedder.embed_query(self._prompt.question)
        return [WEIGHTS.cosine * (line.scale * float(cosine) + line.offset) for cosine in cosines]

    def features(self, candidate: Evidence, cosine: float = 0.0) -> Features:
        """Return the features of a candidate.

        Coverage is the share of the question's stems, function words left out, weighted by idf over all candidates,
        that the sentence contains, those that only its heading has at 0.4; closeness the largest such share within
        twelve words; before, what the sentence before it adds; pairs, the share of the question's pairs of neighbouring
        words; kind, 1 if it has a date, number or name where one is asked for, -1 if it has none; standing, by how much
        the passage is less likely evidence than the best one; excerpt, whether it lies in what the search found.
        """
        number, words = candidate.passage.number, self._stems.in_order(candidate.text)
        found = set(words) & self._asked
        heading = self._headings[number] | self._stems.of(candidate.title) & self._asked
        if candidate.row and found:
            words = self._stems.in_order(candidate.meaning)
            found = set(words) & self._asked
        extra = self._stems.of(candidate.before) & self._asked - found - heading
        return Features(
            cosine=cosine,
            coverage=self.coverage(found) + _HEADING * self.coverage(heading - found),
            closeness=self._closeness(words),
            before=self.coverage(extra),
            pairs=len(self._pairs & set(pairwise(words))) / max(1, len(self._pairs)),
            kind=self._kind(candidate),
            standing=self._standing[number],
            excerpt=float(candidate.text in candidate.passage.excerpt),
        )

    def coverage(self, stems: Iterable[str]) -> float:
        """Return the share of the question, by weight, that these stems are."""
        return math.fsum(self._weights.get(stem, 0.0) for stem in stems) / self._total

    def around(self, candidate: Evidence) -> set[str]:
        """Return those of the question's stems that stand over an entry: headings, the line before, column headers."""
        row = candidate.row
        over = [candidate.before, row.intro, *row.headers] if row else [candidate.intro]
        return self._headings[candidate.passage.number] | self._stems.of(" ".join(over)) & self._asked

    @property
    def asks_for_meaning(self) -> bool:
        return bool(self._term)

    def concerns(self, candidate: Evidence) -> bool:
        """Say whether a sentence has any of the question's words."""
        return bool(self._stems.of(candidate.text) & self._asked)

    def own(self, entry: Evidence, around: Collection[str]) -> float:
        """Return the coverage by what an entry says itself."""
        return self.coverage(self._stems.of(entry.text) & self._asked - set(around))

    def _closeness(self, words: Sequence[str]) -> float:
        places = [place for place, word in enumerate(words) if word in self._weights]
        return max(
            (
                self.coverage({words[other] for other in places if place <= other < place + _WINDOW})
                for place in places
            ),
            default=0.0,
        )

    def _kind(self, candidate: Evidence) -> float:
        if self._expected.kind == Kind.OTHER:
            return 0.0
        return 1.0 if self._expected.is_in(candidate.text, self._prompt.language) else -1.0

    def _defines(self, candidate: Evidence) -> float:
        if candidate.row:
            first = self._stems.in_order(candidate.row.cells[0])
            return float(len(candidate.row.cells) > 1 and first == self._term)
        return defines(self._stems.in_order(candidate.text), self._term, self._stems)


def _standings(passages: Sequence[NumberedPassage]) -> dict[int, float]:
    """Return the logit of each passage's relevance, below that of the best."""
    sure = {p.number: min(max(p.relevance, _CERTAIN), 1 - _CERTAIN) for p in passages}
    logits = {number: math.log(value / (1 - value)) for number, value in sure.items()}
    best = max(logits.values(), default=0.0)
    return {number: logit - best for number, logit in logits.items()}


def _inverse_frequencies(asked: Collection[str], contained: Sequence[set[str]]) -> dict[str, float]:
    """Return the weight of each stem as in BM25: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    counts = Counter(stem for found in contained for stem in found)
    return {
        stem: math.log(1 + (len(contained) - counts[stem] + 0.5) / (counts[stem] + 0.5)) for stem in asked
    }
