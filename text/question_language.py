"""The language of a question, by its function words: a question is too short for a classifier of languages."""

from __future__ import annotations

import re
from functools import cache

from text.function_words import FUNCTION_WORDS
from text.words import read_words

_LETTERS = {"de": "äöüß", "fr": "çèêëîœùûà", "es": "¿¡ñíóú"}
"""Letters that English has not, and that the other languages have seldom."""

_SURE = 2
"""Signs of a language that are enough. One may be a name or a loan word: "Die Hard"."""


def question_language(text: str, *, usual: str, expected: str) -> str:
    """Return the language of a question: a code of FUNCTION_WORDS, `usual` or `expected`.

    `expected` is what is assumed in doubt; `usual` is assumed if the question has no function words of any language.
    """
    words = re.findall(r"[^\W\d_]+", text.lower())
    signs = {code: sum(word in question_words(code) for word in words) for code in FUNCTION_WORDS}
    for code, letters in _LETTERS.items():
        signs[code] += any(letter in text.lower() for letter in letters)
    if not any(signs.values()):
        return usual
    best = max(signs, key=lambda code: (signs[code], code == expected, code == usual))
    if signs[best] == signs.get(expected, 0) or (signs[best] < _SURE and best != usual):
        return expected
    return best


def is_foreign(question: str, language: str) -> bool:
    """Return whether a question is in another language than texts of this language code, by its function words.

    Many are words of further languages, too: “la” and “un” are Italian, “a” and “do” Portuguese. Beside texts in a
    language of which none are known, one language must have _SURE more of them than each other one.
    """
    own = language[:2].lower()
    if own in FUNCTION_WORDS:
        return question_language(question, usual=own, expected=own) != own
    words = set(re.findall(r"[^\W\d_]+", question.lower()))
    *_, second, best = sorted(len(words & question_words(code)) for code in FUNCTION_WORDS)
    return best - second >= _SURE


@cache
def question_words(language: str) -> frozenset[str]:
    """Return the words of questions that are no subject: function words and question words."""
    return FUNCTION_WORDS[language].union(read_words(language)["question_words"])
