"""Choosing the sentences that are quoted as the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from engines.embedding import Embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.extractive.candidates import (
    Candidate,
    begins_with_pronoun,
    find_candidates,
    follows,
    list_entries,
)
from engines.extractive.question_types import split_questions
from engines.extractive.ranking import SentenceRanker
from engines.llm import Prompt

_EMBEDDED = 16
"""Sentences with the best scores by words that are embedded. Embedding all of them finds no more answers."""

_LEAST, _MOST = 2, 4
_SURE = 0.6
"""The share of the answer from which on a sentence is quoted alone."""
_BEHIND, _ELSEWHERE = 2.5, 1.0
"""How far below the best score another sentence may be; what a sentence of another passage loses."""

MOST_ENTRIES = 8  # of a list or table
_ABOUT = 0.3  # coverage by what stands over a list, from which the whole list is asked for


def select_sentences(prompt: Prompt, embedder: Embedder) -> list[Candidate]:
    """Return two to four sentences (fewer if there are no more), best first, ties in the order of the sources.

    One is enough if a few words settle the question and the reader has found them in it.

    `ranking` gives the scores; the third and fourth sentence must be close to the best. A list or table is returned as
    a whole if the question asks for it; otherwise rows and lines of code are only used as the best one. If the best
    sentence begins with a pronoun, the sentence before it is added. If several questions are asked at once, each gets
    its best sentence before any gets a second.
    """
    parts = split_questions(prompt.question)
    if len(parts) < 2:
        return _best_for_one(prompt, embedder)
    # What was read for all of them at once tells nothing of each.
    unread = replace(prompt, passages=tuple(replace(one, reading=None) for one in prompt.passages))
    answers = [_best_for_one(replace(unread, question=part.strip()), embedder) for part in parts[:_MOST]]
    in_turn = [found for place in zip_longest(*answers) for found in place if found]
    once: dict[tuple[int, int], Candidate] = {}
    for found in in_turn:
        once.setdefault(found.place, found)
    return list(once.values())[:_MOST]


def _best_for_one(prompt: Prompt, embedder: Embedder) -> list[Candidate]:
    found = find_candidates(prompt)
    if not found:
        return []
    ranker = SentenceRanker(prompt, found)
    ranked = _by_score([replace(c, score=ranker.by_words(c)) for c in found])[:_EMBEDDED]
    if understands(embedder, prompt):
        cosines = ranker.by_vectors(ranked, embedder)
        ranked = _by_score([replace(c, score=c.score + more) for c, more in zip(ranked, cosines, strict=True)])
    return _chosen(_listed(ranked[0], ranker), ranked[1:], found, ranker)


def _by_score(found: Sequence[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda c: (-c.score, *c.place))


def _chosen(
    best: Candidate, others: Sequence[Candidate], every: Sequence[Candidate], ranker: SentenceRanker
) -> list[Candidate]:
    """Return the best sentence and what is quoted with it."""
    chosen = [best]
    before = next((one for one in every if follows(one, best)), None)
    if before and begins_with_pronoun(best) and not best.entries and ranker.concerns(before):
        chosen.append(before)
    taken = [*chosen, *best.entries]
    least, most = (1 if ranker.is_settled and _is_sure(best) else _LEAST), (2 if best.entries else _MOST)
    behind = [
        replace(c, score=c.score - _ELSEWHERE * (c.passage.number != best.passage.number))
        for c in others
        if c.sentence.kind != "row" and not any(_holds(one, c) for one in taken)
    ]
    for one in _by_score(behind)[: most - len(chosen)]:
        if len(chosen) < least or one.score >= best.score - _BEHIND:
            chosen.append(one)
    return chosen


def _is_sure(best: Candidate) -> bool:
    """Say whether the reader has found the answer in this sentence: then no other one is needed."""
    reading, sentence = best.passage.reading, best.sentence
    return reading is not None and reading.answered > 0 and reading.share_of(sentence.start, sentence.end) >= _SURE


def _listed(best: Candidate, ranker: SentenceRanker) -> Candidate:
    """Add the entries of its list that are as good as the best sentence; all if none is better than the others."""
    entries = list_entries(best)
    if len(entries) < 2:
        return best
    if best.sentence.kind in ("item", "row"):
        around = ranker.around(best)
        own = {entry.place: ranker.own(entry, around) for entry in entries}
        least = max((own[e.place] for e in entries if _holds(e, best)), default=0.0)
        if not least and (ranker.asks_for_meaning or ranker.coverage(around) < _ABOUT):
            return best
        entries = [entry for entry in entries if own[entry.place] >= least]
    return replace(best, entries=tuple(entries)) if len(entries) > 1 else best


def _holds(one: Candidate, other: Candidate) -> bool:
    same = one.passage.number == other.passage.number
    return same and one.sentence.start <= other.sentence.start < one.sentence.end


def understands(embedder: Embedder, prompt: Prompt) -> bool:
    """Say whether vectors help. Those of an English model do in German or Spanish, not in Arabic or Chinese."""
    if embedder.languages == ANY_LANGUAGE or prompt.language_of_quotes[:2] in embedder.languages:
        return True
    return all(letter < "\u0250" for letter in prompt.question if letter.isalpha())
