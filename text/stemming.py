"""Words and their stems, in lower case. There is no list of stop words: rare words weigh more (see `matching`)."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache, lru_cache
from typing import Any

from text.languages import get_configuration

# A Chinese or Japanese character counts as a word of its own: these scripts do not put spaces between words.
# A code such as LS-05 is one word, so that LS alone says nothing about it.
_CODE = r"(?<![^\W_])[^\W\d_]{1,4}-\d{1,3}(?![^\W_])"
_HYPHENS = str.maketrans("\u2010\u2013", "--")
_WORD = re.compile(_CODE + r"|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_ALGORITHMS = {"dutch": "dutch_porter"}  # what snowballstemmer calls PostgreSQL's algorithm
_ENGLISH_IN = {"hindi", "russian"}  # PostgreSQL stems words in Latin letters as English ones
_MAX_SENTENCE_LENGTH = 500  # characters of a text whose stems are kept
_stemming = threading.Lock()  # a stemmer keeps the word it works on


def stems(text: str, language: str) -> list[str]:
    """Return the stem of each word of `text`, in order. `language` is a language code, with or without a region."""
    stem_all = _stems_of_sentence if len(text) <= _MAX_SENTENCE_LENGTH else _stems
    return list(stem_all(text, get_configuration(language)))


def split_words(text: str) -> list[str]:
    """Return the words of `text` in lower case, in order."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).lower().translate(_HYPHENS))


def _stems(text: str, configuration: str) -> tuple[str, ...]:
    return tuple(stem(word, configuration) for word in split_words(text))


_stems_of_sentence = lru_cache(maxsize=8192)(_stems)
"""For ranking sentences and checking citations, which ask several times: some 5 MB."""


def is_code(stem: str) -> bool:
    """Say whether a stem is a code: letters, a hyphen and digits."""
    return re.fullmatch(_CODE, stem) is not None


@lru_cache(maxsize=100_000)
def stem(word: str, configuration: str) -> str:
    """Return the stem of a word in lower case as PostgreSQL's text search configuration has it. Thread-safe."""
    name = "english" if configuration in _ENGLISH_IN and word.isascii() else configuration
    if name == "simple":
        return word
    with _stemming:
        stemmed: str = _stemmer(_ALGORITHMS.get(name, name)).stemWord(word)
    return stemmed


@cache
def _stemmer(algorithm: str) -> Any:
    import snowballstemmer  # not in the processes that only read a file

    return snowballstemmer.stemmer(algorithm)
