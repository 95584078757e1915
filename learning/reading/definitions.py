"""What a sentence says about a term: "X is a …", "… is called X", "X: …", "…, X, a …", or what follows X in bold."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from enum import IntEnum

from learning.reading.statements import Statement, is_broken
from learning.reading.terms import find_term, get_pattern, get_term_stems
from text.definitions import definitions_in
from text.function_words import function_words
from text.names import Key, make_name_key

MIN_WEIGHT = 1.8
"""Weight of a pattern of `text.definitions` from which on it counts."""

_ABBREVIATION = re.compile(r"\s*\([^)]{1,20}\)")
_ENTRY = re.compile(r"\s?(?::|\s[–—-])\s+(?=\S+\s)")
_APPOSITION = re.compile(r",\s(?=(?:an?|the|eine?[nrms]?|der|die|das|une?|le|la|les|una?|el|los|las)\s)")
APPOSED = re.compile(r",\s(?:an?|eine?n?|une?|una?)\s(?:[^\s,;.]+\s){3,}[^\s,;.]+(?=[,;.])")
"""What a comma says that something is, in so many words that it is no enumeration."""

_BREAK = re.compile(
    r"[;:]|\s[–—]\s|—|,\s(?=(?:and|but|so|because|although|while|und|aber|wobei|weil|da|et|mais|car|parce|tandis|y|pero|"
    r"porque|such as|for example|e\.g\.|not|i\.e\.)\b)|,?\s(?=(?:because|weil|parce|porque)\b)"
)


class Certainty(IntEnum):
    """How surely a sentence tells what a term means."""

    MENTIONED = 1
    BOLD = 2
    BEGINS = 3
    DEFINED = 4


@dataclass(frozen=True)
class DefiningSentence:
    """A sentence about `term`, which stands at `start` to `end` in its text; `meaning` is what it says of it, or "".

    `is_first` says that the sentence begins with the term.
    """

    term: str
    statement: Statement
    start: int
    end: int
    meaning: str
    certainty: Certainty
    is_first: bool = False

    @property
    def written(self) -> str:
        """The term in the form that it has in the sentence, such as oscillation for oscillate; its own capitals."""
        written = self.statement.text[self.start : self.end]
        return self.term if written.casefold() == self.term.casefold() else written


def find_definition(statement: Statement, term: str, language: str) -> DefiningSentence | None:
    """Return what a sentence says about a term, by the first of its places that says something; None if it lacks it."""
    if statement.row or not term.strip():
        return None
    bold = {make_name_key(one, language) for one in statement.bold}
    places = find_term(statement.text, term, language)[:8]  # a long list may name it hundreds of times
    found = [_read(statement, term, place, language, bold) for place in places]
    return max(found, key=lambda one: (one.certainty, bool(one.meaning)), default=None)


def _read(statement: Statement, term: str, place: tuple[int, int], language: str, bold: Set[Key]) -> DefiningSentence:
    text, (start, end) = statement.text, place
    rest = found.end() if (found := _ABBREVIATION.match(text, end)) else end
    is_first = get_pattern("before_term", language).fullmatch(text[:start].lstrip('"“„«')) is not None
    written = text[start:end].casefold()
    is_bold = make_name_key(text[start:end], language) in bold
    meaning, certainty = "", Certainty.BOLD if is_bold else Certainty.MENTIONED
    if is_first and (entry := _ENTRY.match(text, rest)):
        meaning, certainty = text[entry.end() :], Certainty.DEFINED
    elif is_first and (verb := get_pattern("defines", language).match(text, rest)):
        meaning = text[verb.end() :]
        certainty = Certainty.DEFINED if _is_defined(text, term, language) else Certainty.BEGINS
    elif (called := get_pattern("calls", language).search(text)) and written in called["term"].casefold():
        certainty = Certainty.DEFINED
        meaning = statement.before if get_pattern("leans", language).match(text) else text[: called.start()]
        meaning = meaning[:1].lower() + meaning[1:] if get_pattern("article", language).match(meaning) else meaning
    elif (apposed := _APPOSITION.match(text, rest)) and (is_bold or APPOSED.match(text, rest)):
        meaning, certainty = re.split(r"[,;]", text[apposed.end() :])[0], Certainty.DEFINED
    elif _is_defined(text, term, language):
        certainty = Certainty.DEFINED
    elif is_first and is_bold:
        said = text[rest:].split()
        meaning = "" if said[:1] and said[0].casefold() in function_words(language) else " ".join(said)
        certainty = Certainty.BEGINS
    elif is_first:
        certainty = Certainty.BEGINS
    broken = _BREAK.search(meaning)
    meaning = (meaning[: broken.start()] if broken else meaning).rstrip(" .,")
    if not _is_specific(meaning, term, language):
        meaning = ""
    return DefiningSentence(term, statement, start, end, meaning, certainty, is_first)


def _is_defined(text: str, term: str, language: str) -> bool:
    """Say whether a pattern of sentences that define finds the term."""
    key = make_name_key(term, language)
    return any(
        one.weight >= MIN_WEIGHT and make_name_key(one.term, language) == key for one in definitions_in(text, language)
    )


def _is_specific(meaning: str, term: str, language: str) -> bool:
    """Say whether a meaning has words of its own, and none that only the text before makes known."""
    words, first = get_term_stems(meaning, language), meaning.split()[:1]
    if len(words) < 3 or is_broken(f"A {meaning}.") or get_pattern("leans", language).match(meaning):
        return False
    return not get_term_stems(term, language) <= words and bool(first and not find_term(first[0], term, language))


def find_genus(meaning: str, language: str) -> frozenset[str]:
    """Return the stems of what a meaning says that a thing is: of "a responsive force that …", "responsive force"."""
    words: list[str] = []
    for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*|[,;:()]", meaning):
        if word.casefold() in function_words(language) or not word[0].isalnum():
            if words:
                break
            continue
        words.append(word)
    return get_term_stems(" ".join(words), language) if words else frozenset()
