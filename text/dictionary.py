"""The dictionaries between English and German, French and Spanish: words of questions that are asked at a school.

The data are the files in `text/dictionaries`, which are read when the first word is looked up.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from text.function_words import function_words
from text.languages import get_configuration
from text.stemming import stem

LANGUAGES = ("de", "fr", "es")
"""Languages with a dictionary from and to English."""

FOLDER = Path(__file__).parent / "dictionaries"
MAX_WORDS = 6
"""Most words of a phrase."""

Words = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A word or phrase of one language and its translation into the other; 0 is the best rank."""

    words: Words
    translation: str
    rank: int


@dataclass(frozen=True)
class Dictionary:
    """Entries by their words in lower case, by their stems, and by their stems without accents; the best first."""

    source: str
    target: str
    exact: Mapping[Words, Entry]
    stemmed: Mapping[Words, Sequence[Entry]]
    folded: Mapping[Words, Sequence[Entry]]

    def find(self, words: Sequence[str]) -> Entry | None:
        """The entry of a word or phrase in lower case and in any of its forms."""
        if found := self.exact.get(tuple(words)):
            return found
        stems, folded = self._stems(words), self._stems(map(fold, words))
        return _closest(words, self.stemmed.get(stems, ())) or _closest(words, self.folded.get(folded, ()))

    def _stems(self, words: Sequence[str] | Iterator[str]) -> Words:
        return _stem_words(words, self.source)


@cache
def dictionary(source: str, target: str) -> Dictionary | None:
    """The dictionary between two language codes, None if there is none. One of them is English."""
    if source == "en" and target in LANGUAGES:
        return _indexed(source, target, _reversed(target))
    return _indexed(source, target, _entries(source)) if target == "en" and source in LANGUAGES else None


def read_lines(language: str) -> list[tuple[str, list[str]]]:
    """The words and phrases of a file with their English translations, in order."""
    lines = (FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(word, translations.split(", ")) for word, translations in pairs]


def split_entry(text: str) -> list[str]:
    """The words of an entry in lower case: an apostrophe and a hyphen separate words."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).lower())


def fold(word: str) -> str:
    """A word in lower case without accents, as people write it who lack the keys; ß is ss."""
    decomposed = unicodedata.normalize("NFD", word.replace("ß", "ss"))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _entries(language: str) -> Iterator[Entry]:
    for word, translations in read_lines(language):
        yield Entry(tuple(split_entry(word)), translations[0], 0)


def _reversed(language: str) -> Iterator[Entry]:
    """Entries from English: of words with the same translation, that which has it first in its line."""
    found = [
        Entry(tuple(split_entry(translation)), word, rank)
        for word, translations in read_lines(language)
        for rank, translation in enumerate(translations)
    ]
    yield from sorted(found, key=lambda entry: entry.rank)


def _indexed(source: str, target: str, entries: Iterator[Entry]) -> Dictionary:
    exact: dict[Words, Entry] = {}
    for entry in entries:
        exact.setdefault(entry.words, entry)
    stemmed, folded = defaultdict[Words, list[Entry]](list), defaultdict[Words, list[Entry]](list)
    empty = function_words(source)
    for entry in exact.values():
        if len(entry.words) == 1 and entry.words[0] in empty:
            continue  # no form of a function word is another word
        stemmed[_stem_words(entry.words, source)].append(entry)
        folded[_stem_words(map(fold, entry.words), source)].append(entry)
    for entry in exact.values():
        folded.setdefault(tuple(map(fold, entry.words)), [entry])
    return Dictionary(source, target, exact, stemmed, folded)


def _stem_words(words: Sequence[str] | Iterator[str], language: str) -> Words:
    configuration = get_configuration(language)
    return tuple(stem(word, configuration) for word in words)


def _closest(words: Sequence[str], entries: Sequence[Entry]) -> Entry | None:
    """Of words with the same stem, such as Schule and Schüler, the one with the longest common beginning."""
    text = " ".join(words)
    return max(entries, key=lambda entry: _closeness(text, " ".join(entry.words)), default=None)


def _closeness(text: str, other: str) -> tuple[int, int]:
    common = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    return common, -abs(len(text) - len(other))
