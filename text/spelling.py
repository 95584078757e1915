"""Misspelled words of a question, and the words of the documents that were meant.

A word is doubted if the dictionary of its language (of pyspellchecker) does not have it, so that most questions cost a
look into memory. Without a dictionary 19 % of the questions about something that the documents do not have would become
questions about something else (“Lenin” to “Levin”), with it 2 %. Measured by `python -m benchmarks.misspelled`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import log2

from text.function_words import FUNCTION_WORDS, function_words
from text.question_language import question_words

MAX_CANDIDATES = 20
"""Doubtful words of a question, at most. More are no errors but a list of names or another language."""

_LETTER = r"[^\W\d_]"
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]*[\"”“»]")
_NO_WORDS = re.compile(r"(?<!\S)(?:\S*[\d_@/\\]\S*|\S+[.:]\w\S*)")  # codes, numbers, addresses
_WORD = re.compile(rf"{_LETTER}+(?!{_LETTER}|['’](?!s\b){_LETTER})")  # nothing cut off as in couldn't or l'eau
_RARE = 1000
"""A word of up to three letters is an error if a function word is so many times as frequent, which it becomes by one
letter more or by an exchange: “wat” and “what”, but not “hat” and “that”."""
_AMERICAN = [
    (re.compile(british), american)
    for british, american in (
        ("is(?=e[ds]?$|er|ing|ation|able)", "iz"),
        ("ys(?=e[drs]?$|ing)", "yz"),
        ("ou(?=r|l[dt])", "o"),
        ("re(?=s?$)", "er"),
        ("[ao]e", "e"),
        ("ence(?=s?$)", "ense"),
        ("ogue(?=s?$)", "og"),
        ("ll(?=e[dr]|ing|ery)", "l"),
        ("amme(?=s?$)", "am"),
        ("^sc", "sk"),
    )
]
_ALSO_KNOWN = {
    "en": {"aluminium", "cheque", "cheques", "draught", "draughts", "jewellery", "kerb", "kerbs", "manoeuvre"}
    | {"manoeuvres", "pls", "plz", "tldr"},
}
"""British words that no rule makes American, and short forms."""
_NAMES = 0.1
"""The share of capitals that words do not reach by standing at the beginning of sentences."""


def doubtful_words(question: str, language: str) -> list[str]:
    """Return the words of a question that may be misspelled, as written: those that no dictionary has.

    Words in quotation marks are left out, and so are names and codes with a digit or with a capital after the first
    letter.
    """
    if language not in FUNCTION_WORDS:
        return []
    words = dict.fromkeys(match[0] for match in _words(question))
    found = [word for word in words if _is_doubtful(word, language)]
    return found if len(found) <= MAX_CANDIDATES else []


def list_near_lengths(words: Collection[str]) -> set[int]:
    """Return the numbers of letters of the words that may be meant by these."""
    return {
        len(word) + more
        for word in words
        for more in range(-_farthest(word), _farthest(word) + 1)
        if len(word) + more > 2
    }


def written_forms(text: str, lengths: Collection[int]) -> list[str]:
    """Return the words of a text that have one of these numbers of letters, as written."""
    words = re.findall(rf"{_LETTER}+", unicodedata.normalize("NFC", text))
    return [word for word in words if len(word) in lengths]


def correct(question: str, unknown: Collection[str], forms: Mapping[str, int], language: str) -> str:
    """Return a question with its misspelled words replaced by those that were meant.

    `unknown` are its doubtful words that the documents do not have either; `forms` counts words of the documents as
    written. A word may be at Damerau-Levenshtein distance 1 (optimal string alignment), and at 2 from six letters on
    with the same first letter. One of three letters may only have lost one. A name is only replaced by what may be a
    name, from four letters on, at distance 1: it has a capital although it is not the first word (except in German,
    where every noun has one). The nearest counts, then the likelier error and the more frequent word. A word for which
    there is none is kept, and so is a capital.
    """
    known = _by_lower_case(forms, language)
    result, end = "", 0
    for match in _words(question):
        word = match[0]
        if word in unknown:
            is_name = word[0].isupper() and language != "de" and bool(re.search(r"\w", question[: match.start()]))
            meant = _meant(word, known, language, is_name=is_name)
            result += question[end : match.start()] + (meant[:1].upper() + meant[1:] if word[0].isupper() else meant)
            end = match.end()
    return result + question[end:]


def _words(question: str) -> Iterator[re.Match[str]]:
    text = question
    for pattern in (_QUOTED, _NO_WORDS):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return _WORD.finditer(text)


def find_frequency(word: str, language: str) -> int:
    """How often a word in lower case stands in the texts that the dictionary was made from; 0 if it has it not."""
    return _dictionary(language).get(word, 0)


def _is_doubtful(word: str, language: str) -> bool:
    if not word[1:].islower() or word.lower() in function_words(language):
        return False
    if len(word) < 4 and _function_word(word.lower(), language):
        return True
    return len(word) > 2 and not is_known_word(word.lower(), language)


def is_known_word(word: str, language: str) -> bool:
    """Say whether a word in lower case is one of questions or in the dictionary."""
    return word in question_words(language) or _is_in_dictionary(word, language)


def _is_in_dictionary(word: str, language: str) -> bool:
    """Whether the dictionary has a word. The English one is American: of British words it has the American form."""
    known = _dictionary(language)
    if word in known or word in _ALSO_KNOWN.get(language, ()):
        return True
    return language == "en" and any(british.sub(american, word) in known for british, american in _AMERICAN)


def _farthest(word: str) -> int:
    return 1 if len(word) < 6 else 2


@dataclass(frozen=True)
class _Known:
    """How often the documents have a word, and how often with a capital."""

    count: int
    capitals: int = 0

    @property
    def may_be_name(self) -> bool:
        return self.capitals >= _NAMES * self.count


def _by_lower_case(forms: Mapping[str, int], language: str) -> dict[str, _Known]:
    """The words of the documents; function words too."""
    counts, capitals = Counter(function_words(language)), Counter[str]()
    for form, count in forms.items():
        counts[form.lower()] += count
        capitals[form.lower()] += count * form[0].isupper()
    return {word: _Known(count, capitals[word]) for word, count in counts.items()}


def _meant(word: str, known: Mapping[str, _Known], language: str, *, is_name: bool) -> str:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    lower = word.lower()
    if len(word) < 4 and (meant := _function_word(lower, language)):
        return meant
    found = process.extract(
        lower, known.keys(), scorer=OSA.distance, score_cutoff=1 if is_name else _farthest(word), limit=None
    )
    near = [
        (distance, -_likelihood(lower, candidate, known[candidate].count), candidate)
        for candidate, distance, _ in found
        if len(candidate) > (3 if len(word) < 4 else 2)
        and not (is_name and len(word) < 4)
        and (distance == 1 or candidate[0] == lower[0])
        and (not is_name or known[candidate].may_be_name)
    ]
    return min(near)[2] if near else word


def _likelihood(word: str, meant: str, count: int) -> float:
    """Ranks words at the same distance by the frequency of the word times that of the error, as logarithm to base 2."""
    return log2(count) - 4 * (not _is_usual(word, meant)) - 2 * (word[0] != meant[0])


def _is_usual(word: str, meant: str) -> bool:
    """Whether a letter is left out, doubled or exchanged, or an accent is missing, and no letter is another one."""
    return (
        _plain(word) == _plain(meant)
        or len(word) < len(meant)
        or sorted(word) == sorted(meant)
        or (len(word) > len(meant) and set(word) == set(meant))
    )


def _plain(word: str) -> str:
    """A word without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


def _function_word(word: str, language: str) -> str:
    """The function word that a word of two or three letters was meant for, or an empty string."""
    from rapidfuzz.distance import OSA

    frequencies = _dictionary(language)
    near = [
        (frequencies.get(candidate, 0), candidate)
        for candidate in function_words(language)
        if OSA.distance(word, candidate) == 1 and (len(word) < len(candidate) > 2 or sorted(word) == sorted(candidate))
    ]
    often, meant = max(near, default=(0, ""))
    return meant if often > _RARE * frequencies.get(word, 0) else ""


def _dictionary(language: str) -> Mapping[str, int]:
    """The words of a language with their frequencies. 0.1 to 0.4 s and about 25 MB for the first question in it."""
    with _loading:
        return _loaded(language)


@cache
def _loaded(language: str) -> Mapping[str, int]:
    from spellchecker import SpellChecker

    return dict(SpellChecker(language=language).word_frequency.items())


_loading = threading.Lock()
