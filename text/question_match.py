"""Which words of a question a text has, in whatever form, and which numbered part of a text a question asks for.

A German participle is its infinitive, a strong verb keeps its consonants, a compound has its parts, a French plural is
its singular. “Step 4” is what is numbered 4.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from text.function_words import FUNCTION_WORDS
from text.languages import get_configuration
from text.question_language import question_words
from text.question_types import asks_for_rule, expected_answer
from text.stemming import split_words, stem

_PARTICIPLE = re.compile(
    r"(ab|an|auf|aus|bei|ein|fest|her|hin|mit|nach|statt|teil|um|vor|weg|zu|zurück|zusammen)?(?:ge|zu)(\w{3,}?)(?:t|et|en)"
)
_INFINITIVES = {"fr": ("er", "ir", "re"), "es": ("ar", "er", "ir")}
_VOWELS = re.compile(r"[aeiouyäöü]+")
_MIN_CONSONANTS = 4
"""Consonants from which on two German stems that have the same are forms of one verb: überweisen, überwiesen."""
_MIN_PART = 4
"""Letters of a part of a compound."""
_NUMBER = r"\d+(?:\.\d+)*(?!\.?\d)"
_LABEL = re.compile(
    rf"[\s>*_|#(§“-]*(?:(?P<noun>[^\W\d_]{{2,}})\s+(?P<named>{_NUMBER})\s*[:.)–—-]|(?P<number>{_NUMBER})(?:[.):]|\s))"
)
_NAMED = re.compile(rf"([^\W\d_]+)\s+({_NUMBER})(?!\w|:\d)")


class QuestionWords:
    """The words of a question that say something, by their stems, in the language of the texts."""

    def __init__(self, question: str, language: str) -> None:
        self.language = language
        self.expected = expected_answer(question)
        empty = empty_stems(language).union(self._stems(self.expected.cue))
        every = {self._stem(word): word for word in split_words(question)}
        content = {own: word for own, word in every.items() if own not in empty}
        self.has_content, self._words = bool(content), content or every
        self._by_form: dict[str, set[str]] = {}
        for own, word in self._words.items():
            for form in word_forms(word, language):
                self._by_form.setdefault(form, set()).add(own)
        self.stems = frozenset(self._words)
        self._labels = dict(self._find_labels(question))
        self.labelled = frozenset[str]().union(*map(self.find_labelled, self._labels))
        self.nouns = self.stems & self._find_nouns(question)
        self.numbers = frozenset(own for own in self.stems if any(map(str.isdigit, own)))

    def find_in(self, text: str) -> set[str]:
        """Return the stems of those words that a text has."""
        words = set(split_words(text))
        forms = frozenset[str]().union(*(word_forms(word, self.language) for word in words))
        found = {own for form in forms & self._by_form.keys() for own in self._by_form[form]}
        if self.language.startswith("de"):
            for own in self._words.keys() - found:
                if any(_shares_part(self._words[own], own, word) for word in words):
                    found.add(own)
        return found

    def find_in_headings(self, over: Sequence[str]) -> set[str]:
        """Return the stems of those words that title and headings have, also by the numbers that they begin with."""
        found = self.find_in(" ".join(over)).union(*(self.find_labelled(self.find_label(f"{one} ")) for one in over))
        if self.language.startswith("de"):  # a section on Sicherheit has a Sicherheitshinweis
            words = tuple(word for one in over for word in split_words(one) if len(word) > _MIN_PART)
            found |= {own for own, asked in self._words.items() if asked.startswith(words)}
        return found

    def names(self, cell: str) -> bool:
        """Say whether the question has all words of the first cell of a row."""
        return bool(words := self._stems(cell)) and words <= self.stems

    def find_label(self, text: str) -> str:
        """Return the number that a text begins with, "" if none: “4. Hang …”, “Step 4: …”, “2.3 A device …”."""
        match = _LABEL.match(text) if self._labels else None
        if match is None or (match["noun"] and self._stem(match["noun"].lower()) not in self._labels.values()):
            return ""
        return match["named"] or match["number"]

    def find_labelled(self, label: str) -> set[str]:
        """Return the words of the question by which it asks for what has this number."""
        return {self._labels[label], *self._stems(label)} if label in self._labels else set()

    def _find_labels(self, question: str) -> Iterator[tuple[str, str]]:
        """Yield numbers with the stem of the noun before them."""
        for noun, number in _NAMED.findall(question):
            if self._stem(noun.lower()) in self._words:
                yield number, self._stem(noun.lower())

    def _find_nouns(self, question: str) -> frozenset[str]:
        """Return words that are no verbs: in German they have capitals; in French and Spanish a rule that is asked for
        has an infinitive. All words, where verbs do not show."""
        code = self.language[:2].lower()
        if code == "de":
            words = re.findall(r"[^\W\d_]+", question)[1:]
            return frozenset(self._stem(word.lower()) for word in words if word[0].isupper())
        verbs = _INFINITIVES.get(code, ()) if asks_for_rule(question) else ()
        return frozenset(own for own, word in self._words.items() if not word.endswith(tuple(verbs)))

    def _stems(self, text: str) -> set[str]:
        return {self._stem(word) for word in split_words(text)}

    def _stem(self, word: str) -> str:
        return stem(word, get_configuration(self.language))


@lru_cache(maxsize=50_000)
def word_forms(word: str, language: str) -> frozenset[str]:
    """Return what a word in lower case has in common with its other forms."""
    code = language[:2].lower()
    own = stem(word, get_configuration(code))
    forms = {own}
    if code == "de":
        if participle := _PARTICIPLE.fullmatch(word):
            forms.add(stem(f"{participle[1] or ''}{participle[2]}en", "german"))
        consonants = _VOWELS.sub("", own)
        if not any(map(str.isdigit, own)):
            verb = {consonants, consonants.removesuffix("t")}
            forms |= {f"~{one}" for one in verb if len(one) >= _MIN_CONSONANTS}
    if code == "fr" and word.endswith("ent"):
        forms.add(stem(word.removesuffix("nt"), "french"))
    return frozenset(forms)


@lru_cache(maxsize=100)
def empty_stems(language: str) -> frozenset[str]:
    """Return the stems of words of questions that are no subject, for a language code."""
    code = language[:2].lower()
    words = question_words(code) if code in FUNCTION_WORDS else frozenset[str]()
    return frozenset(stem(word, get_configuration(code)) for word in words)


def _fold(word: str) -> str:
    """Return a word in lower case without accents, as people write it who lack the keys; ß is ss."""
    decomposed = unicodedata.normalize("NFD", word.replace("ß", "ss"))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@lru_cache(maxsize=50_000)
def _shares_part(asked: str, own: str, word: str) -> bool:
    """Say whether a German word has the asked one as its first or last part, or is the last part of it: Parkplatz for
    parken, Schulbibliothek for Bibliothek and the other way round."""
    if len(word) <= _MIN_PART:
        return False
    begins = len(own) >= _MIN_PART and _fold(word).startswith(_fold(own))
    return begins or (min(len(asked), len(word)) > _MIN_PART and (word.endswith(asked) or asked.endswith(word)))
