"""Words as PostgreSQL's full text search sees them, so that Python finds the same stems in a text."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from unicodedata import normalize

from text.memo import Memo
from text.stemming import stem

SIGNS = "“”„‟«»‹›‘‚‛′″–—―‒…•·¿¡。，、；：！？（）「」『』【】％\u00a0\u202f"
"""Characters that PostgreSQL's parser takes for letters where the database's character type is C, as that of the
embedded one is: “goggles” and goggles would be two words."""

APOSTROPHE = "’"

RAISED = dict(zip("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹−⁻₋", "01234567890123456789---", strict=True))
"""What people type for raised and lowered digits and for the minus sign: H2O finds H₂O, -5 finds −5."""

WRITTEN = SIGNS + APOSTROPHE + "".join(RAISED)
TYPED = " " * len(SIGNS) + "'" + "".join(RAISED.values())
"""WRITTEN as full text search gets it, character by character."""

_PLAIN = dict(zip(WRITTEN, TYPED, strict=True))
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])")
_BETWEEN = "-/'"
_AROUND = string.punctuation + "“”„«»‘…–—·•¿¡。，、；：！？（）「」『』"


def full_text_input(text: str) -> str:
    """Return a text for `to_tsvector`: composed (NFC), as TYPED, with spaces around Chinese and Japanese signs."""
    if text.isascii():
        return text
    text = normalize("NFC", text)
    for sign in _PLAIN.keys() & set(text):  # much faster than str.translate
        text = text.replace(sign, _PLAIN[sign])
    return _UNSPACED.sub(r" \1 ", text)


def lexemes(text: str, configuration: str) -> list[str]:
    """Return the stem of each word of `text`, in order."""
    return list(
        _lexemes_of_chunk(text, configuration) if len(text) <= _MAX_CHUNK_LENGTH else _lexemes(text, configuration)
    )


def _lexemes(text: str, configuration: str) -> tuple[str, ...]:
    return tuple(map(_get_stems(configuration).__getitem__, _split(text)))


@cache
def _get_stems(configuration: str) -> Memo:
    return Memo(lambda word: stem(word.strip(_AROUND), configuration))


_MAX_CHUNK_LENGTH = 3_000  # characters of a text whose stems are kept
_lexemes_of_chunk = lru_cache(maxsize=1024)(_lexemes)
"""A class asks about one chapter: some 5 MB."""


def select_matchable(question: str, weights: Mapping[str, float], configuration: str) -> dict[str, float]:
    """Return those weighted stems of a question that `lexemes` can find in a text.

    PostgreSQL's algorithms are versions that differ over some words, such as universities, and it takes codes and
    elisions apart in other ways: a stem that cannot be found must not count as missing either.
    """
    found = set(lexemes(question, configuration))
    return {stem: weight for stem, weight in weights.items() if stem in found}


def find_written_forms(question: str, stems: Collection[str], configuration: str) -> dict[str, str]:
    """Return the word of the question for each stem, in its order. A stem that has none stands for itself."""
    asked: dict[str, str] = {}
    for word in _words(question):
        if (found := stem(word, configuration)) in stems:
            asked.setdefault(found, word)
    return asked | {found: found for found in stems if found not in asked}


def _words(text: str) -> list[str]:
    return [word.strip(_AROUND) for word in _split(text)]


def _split(text: str) -> list[str]:
    plain = full_text_input(text).lower()
    for sign in _BETWEEN:
        plain = plain.replace(sign, " ")
    return plain.split()
