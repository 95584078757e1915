"""Choosing the sentences that stand for the rest of some passages, as their summary.

Greedy facility location, as for passages (`corpus.search.named_passages`): each step takes the sentence that raises the
sum of the similarities between every sentence and its nearest chosen one most. What is said twice is so taken once.
`python -m benchmarks.summaries` measures it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.embedding import Embedder
from engines.extractive.candidates import Candidate, begins_with_pronoun, find_candidates
from engines.extractive.selection import understands
from engines.llm import Prompt
from text.function_words import content_stems
from text.matching import inverse_frequencies

MOST = 7
"""Sentences of a summary, unless there are more passages."""

_COMPARED = 14
"""Sentences of each passage that are compared: the first one, and those whose words are the most frequent."""

_LEAST_GAIN = 0.04
"""The share of the whole that a further sentence of a passage must cover."""

_FIRST, _HEADED = 1.5, 1.5
"""Factors of a gain: for the first sentence of a passage, and for one that has all words of its heading. Both are old:
Edmundson, New Methods in Automatic Extracting, 1969."""

_FEW_WORDS, _MANY_WORDS = 6, 45
_REFERS = re.compile(
    r"(?:that|those|but|so|then|thus|therefore|however|also|and|or|for example|for instance|here"
    r"|aber|daher|deshalb|jedoch|und|oder|dann|zum Beispiel|hier|mais|donc|ainsi|cependant|et|ou|par exemple|ici"
    r"|pero|así|por tanto|sin embargo|y|o|por ejemplo|aquí)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!。！$][\"'”’»)\]*_]*$")
_IS_NOTICE = re.compile(
    r"\?|\b(?:due|deadline|homework|hand in|exercises?|tasks?|questions? \d|see (?:page|chapter|section|figure|table)"
    r"|(?:figure|table) \d|abgabe|hausaufgaben?|aufgaben?|siehe|abbildung|devoirs?|exercices?|voir|deberes|ejercicios?"
    r"|véase|tareas?)\b",
    re.IGNORECASE,
)


def summarise(prompt: Prompt, embedder: Embedder) -> list[Candidate]:
    """Return up to seven sentences that stand for the passages of a prompt, in their order; more if there are more
    passages, since each has one, unless it has only exercises, tables and the like.

    If the prompt has a topic, covering a sentence counts by how close that is to it.
    """
    language = prompt.language_of_quotes
    found = _compared(find_candidates(prompt), content_stems(prompt.question, language), language)
    if not found:
        return []
    if understands(embedder, prompt):
        vectors = embedder.embed_passages([candidate.meaning for candidate in found])
        topic = embedder.embed_query(prompt.question) if prompt.question else None
    else:
        vectors, topic = _by_words(found, prompt)
    weights = np.ones(len(found)) if topic is None else np.maximum(vectors @ topic, 0.0) ** 2
    quality = np.array([_quality(candidate, found, language) for candidate in found])
    if topic is not None:
        quality *= 0.25 + np.maximum(vectors @ topic, 0.0)
    chosen = _cover(found, np.maximum(vectors @ vectors.T, 0.0) * weights, quality)
    return sorted((found[i] for i in chosen), key=lambda candidate: candidate.place)


def _compared(found: Sequence[Candidate], topic: set[str], language: str) -> list[Candidate]:
    """The sentences worth comparing, in order: those that can be read alone, all if there is none."""
    found = list(filter(_stands_alone, found)) or found
    stems = {candidate.place: content_stems(candidate.text, language) for candidate in found}
    frequency = Counter(stem for own in stems.values() for stem in own)
    kept: list[Candidate] = []
    for number in dict.fromkeys(candidate.passage.number for candidate in found):
        first, *others = (candidate for candidate in found if candidate.passage.number == number)
        others.sort(
            key=lambda one: (
                -len(stems[one.place] & topic),
                -_mean([frequency[stem] for stem in stems[one.place]]),
                one.place,
            )
        )
        kept += sorted([first, *others[: _COMPARED - 1]], key=lambda one: one.place)
    return kept


def _stands_alone(candidate: Candidate) -> bool:
    """Whether a sentence says something that can be read without the ones around it, and is no notice or exercise."""
    text = candidate.text
    return (
        candidate.sentence.kind == "prose"
        and _FEW_WORDS <= len(text.split()) <= _MANY_WORDS
        and bool(_ENDS.search(text))
        and not begins_with_pronoun(candidate)
        and not _REFERS.match(text)
        and not _IS_NOTICE.search(text)
    )


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0


def _quality(candidate: Candidate, found: Sequence[Candidate], language: str) -> float:
    passage, block = candidate.passage, candidate.sentence.block
    first = next(one for one in found if (one.passage.number, one.sentence.block) == (passage.number, block))
    words = candidate.text.split()
    quality = (_FIRST if candidate.place == first.place else 1.0) * (1 - sum(map(_has_digit, words)) / len(words))
    heading = content_stems(" ".join(passage.heading_path[-1:]) or passage.title, language)
    if heading:
        quality *= 1 + (_HEADED - 1) * len(heading & content_stems(candidate.text, language)) / len(heading)
    return quality


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _by_words(found: Sequence[Candidate], prompt: Prompt) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """Unit vectors of the sentences and of the topic by words and idf, where the embedder knows neither."""
    language = prompt.language_of_quotes
    own = [content_stems(candidate.text, language) for candidate in found]
    weights = inverse_frequencies(set().union(*own), own)
    places = {stem: place for place, stem in enumerate(sorted(weights))}

    def vector(stems: set[str]) -> NDArray[np.float32]:
        values = np.zeros(len(places), dtype=np.float32)
        for stem in stems & places.keys():
            values[places[stem]] = weights[stem]
        length = float(np.linalg.norm(values))
        return values / length if length else values

    topic = vector(content_stems(prompt.question, language)) if prompt.question else None
    return np.array([vector(stems) for stems in own]), topic


def _cover(found: Sequence[Candidate], similarities: NDArray[Any], quality: NDArray[Any]) -> list[int]:
    """The chosen ones; `similarities` is (sentence, covered sentence), times what covering that one counts."""
    numbers = np.array([candidate.passage.number for candidate in found])
    whole = float(similarities.max(axis=0).sum())
    covered = np.zeros(len(found))
    chosen: list[int] = []
    missing = set(numbers.tolist())
    while missing or len(chosen) < min(MOST, len(found)):
        gains = np.maximum(similarities, covered).sum(axis=1) - covered.sum()
        free = np.array([i not in chosen and (not missing or int(numbers[i]) in missing) for i in range(len(found))])
        best = int(np.where(free, gains * quality, -1.0).argmax())
        if not missing and gains[best] < _LEAST_GAIN * whole:
            break
        chosen.append(best)
        covered = np.maximum(covered, similarities[best])
        missing.discard(int(numbers[best]))
    return chosen
