"""Which topics a question hits: those of which it has at least two different keywords (A1). Pure.

The language of a question is not known, and few words do not tell it. So a word is compared by its stems in every
language that a chatbot can answer in, with and without accents.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from text.function_words import FUNCTION_WORDS
from text.stemming import stems

NEEDED = 2
"""Different keywords that a question must have."""

_LANGUAGES = tuple(FUNCTION_WORDS)
_WITHOUT_MARKS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"})

Word = frozenset[str]
"""A word as its stems, each after the code of its language. Two words are forms of one if they share a stem."""
Phrase = tuple[Word, ...]


def find_hits(question: str, keywords: Sequence[str]) -> list[str]:
    """The different keywords that stand in the question, the longest first.

    A keyword of several words stands where these follow each other. Words that a longer keyword has taken do not count
    for a shorter one again: “acid rain” alone has not the keyword “acid”.
    """
    words = make_phrase(question)
    present: Word = frozenset().union(*words)
    taken = [False] * len(words)
    found: list[str] = []
    for keyword, phrase in _longest_first(tuple(keywords)):
        if present.isdisjoint(phrase[0]):
            continue
        for start in range(len(words) - len(phrase) + 1):
            here = range(start, start + len(phrase))
            if not any(taken[i] for i in here) and _is_same(phrase, words[start : start + len(phrase)]):
                found.append(keyword)
                for i in _occurrences(phrase, words):
                    taken[i] = True
                break
    return found


def is_hit(question: str, keywords: Sequence[str]) -> bool:
    """Whether the question has enough of the keywords."""
    return len(find_hits(question, keywords)) >= NEEDED


def drop_repeated(keywords: Iterable[str]) -> list[str]:
    """The keywords without those that are forms of an earlier one, in their order."""
    found: list[str] = []
    by_stem: dict[str, list[Phrase]] = {}  # the phrases that were found, by each stem of their first word
    for keyword in keywords:
        phrase = make_phrase(keyword)
        if phrase and not any(_is_same(phrase, other) for stem in phrase[0] for other in by_stem.get(stem, ())):
            found.append(keyword)
            for stem in phrase[0]:
                by_stem.setdefault(stem, []).append(phrase)
    return found


@lru_cache(maxsize=20_000)
def make_phrase(text: str) -> Phrase:
    """The words of a text in order."""
    plain = _without_accents(text)
    bare = [stems(plain, language) for language in _LANGUAGES]
    accented = [stems(text, language) for language in _LANGUAGES]
    if len(accented[0]) != len(bare[0]):  # a combining mark may stand where a word is split
        accented = bare
    return tuple(
        frozenset(
            f"{language} {_without_accents(stem)}"
            for language, *both in zip(_LANGUAGES, word, other, strict=True)
            for stem in both
        )
        for word, other in zip(zip(*bare, strict=True), zip(*accented, strict=True), strict=True)
    )


@lru_cache(maxsize=2000)
def _longest_first(keywords: tuple[str, ...]) -> list[tuple[str, Phrase]]:
    phrases = [(keyword, make_phrase(keyword)) for keyword in drop_repeated(keywords)]
    return sorted(phrases, key=lambda one: -len(one[1]))


def _occurrences(phrase: Phrase, words: Phrase) -> set[int]:
    """The places of the words of a phrase, wherever it stands. Word forms of one keyword count once."""
    starts = (i for i in range(len(words)) if _is_same(phrase, words[i : i + len(phrase)]))
    return {start + offset for start in starts for offset in range(len(phrase))}


def _is_same(one: Sequence[Word], other: Sequence[Word]) -> bool:
    return len(one) == len(other) and all(not a.isdisjoint(b) for a, b in zip(one, other, strict=True))


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.lower().translate(_WITHOUT_MARKS))
    return unicodedata.normalize("NFC", "".join(char for char in decomposed if not unicodedata.combining(char)))
