"""Whether sentences of the sources say a statement. Compared are stems: a source is quoted, not told in other words."""

from __future__ import annotations

from collections.abc import Sequence

from learning.questions.sources import Sentence
from learning.reading.patterns import are_opposed
from learning.reading.terms import get_term_stems, overlap
from text.negation import compile_negation
from text.stemming import stems

NEARLY_ALL, WINDOW, WINDOW_MORE = 0.9, 1.25, 1
"""Share of the content words of a statement in one sentence, and over how many words they may spread there: so many
times its own, and some more."""


def is_said(statement: str, sentences: Sequence[Sentence], language: str) -> bool:
    """Say whether one sentence has nearly all content words of a statement close together, and no "not" in between.

    "A acts on B, while C acts on D" has all words of "A acts on D", but far apart.
    """
    wanted = get_term_stems(statement, language)
    room = WINDOW * len(stems(statement, language)) + WINDOW_MORE
    is_near = any(
        len(wanted & words) >= NEARLY_ALL * len(wanted) and _narrowest(stems(text, language), wanted & words) <= room
        for text, words in sentences
    )
    return is_near and not contradicts(statement, sentences, language)


def contradicts(statement: str, sentences: Sequence[Sentence], language: str) -> bool:
    """Say whether the sentence nearest to a statement has another number of negations, or an opposite word."""
    negation, words = compile_negation(language), get_term_stems(statement, language)
    if not sentences:
        return False
    nearest, _ = max(sentences, key=lambda one: overlap(one[1], words))
    if len(negation.findall(nearest)) != len(negation.findall(statement)):
        return True
    return are_opposed(statement, nearest, language)


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
