"""Function words, which say next to nothing: articles, pronouns, auxiliaries, prepositions, conjunctions."""

from __future__ import annotations

from functools import cache

from text.stemming import stems
from text.words import LANGUAGES, read_words

FUNCTION_WORDS: dict[str, frozenset[str]] = {code: read_words(code)["function_words"] for code in LANGUAGES}
"""By language code, for the languages that a chatbot can answer in."""


def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language code, none where they are not known."""
    return FUNCTION_WORDS.get(language[:2].lower(), frozenset())


def content_stems(text: str, language: str, *, ignored: str = "") -> set[str]:
    """Return the stems of a text but for function words and words of `ignored`; all of them if nothing else is left."""
    every = set(stems(text, language))
    return every - _function_stems(language).union(stems(ignored, language)) or every


@cache
def _function_stems(language: str) -> frozenset[str]:
    return frozenset(stems(" ".join(function_words(language)), language))
