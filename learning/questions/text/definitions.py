"""Sentences that define a term: "X is a …", "… is called X", in English, German, French and Spanish."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from learning.questions.text.patterns import Patterns, get_patterns
from learning.questions.text.sentences import PassageStatement
from learning.questions.text.terms import find_term, get_term_stems
from text.function_words import function_words

MIN_MEANING = 3
"""Least content words of a meaning: "a vector quantity" fits many terms."""

_ABBREVIATION = re.compile(r"\s*\([^)]{1,20}\)")
_BREAK = re.compile(
    r"[;:]|\s[–—]\s|—|,\s(?=(?:and|but|so|which|where|because|although|while|or|und|aber|wobei|da|et|mais|ce qui|y|"
    r"pero|lo que|such as|for example|e\.g\.|not|i\.e\.|denoted|measured|abbreviated|usually|often)\b)"
    r"|,?\s(?:and|und|et|y)\s(?=(?:has|have|is|are|was|can|does|hat|ist|wird|kann|a|est|peut|tiene|es|puede)\s)"
)
_TWO_CLAUSES = re.compile(
    r",|\s(?:and|or|und|oder|et|ou|y|o)$|\s(?:called|known as|termed|genannt|heißt|appelée?|llama)\s"
)
_WORD_OR_BREAK = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[,;:()]")
_THE_ONE = re.compile(r"The [a-z]+ (?:is|was) ")
_CLAUSE = re.compile(r"\b(?:that|which|of|for|in which|where|used)\b")
"""What makes of "The heart is a muscle" a definition, and not a remark about one that was spoken of."""

_UNBOUND = re.compile(r"the (?:\w+ )?(?:\w+est|most|least)\b(?!.*\b(?:in|of|on|among)\b)|the \w+[’']s\b", re.IGNORECASE)
"""A superlative without what it is compared with, and an owner that only the text before makes known."""

_DANGLING = re.compile(
    r"\b(?:that|which|who)\s\w+\s(?:its|their|it|them)\b|\b(?:he|she|him|her|them|they)\b|^\W*(?:\w+\s){0,3}(?:its|their)\b"
)
"""A pronoun that stands for something outside of the meaning."""


@dataclass(frozen=True)
class DefiningSentence:
    """A sentence that defines `term`: the term stands at `start` to `end` in its text, `meaning` is what it means.

    `is_first` says that the sentence begins with the term, `verb` is what stands between both then.
    """

    term: str
    statement: PassageStatement
    start: int
    end: int
    meaning: str
    is_first: bool
    verb: str = ""

    @property
    def written(self) -> str:
        """The term in the form that it has in the sentence, such as oscillation for oscillate; its own capitals."""
        written = self.statement.text[self.start : self.end]
        return self.term if written.casefold() == self.term.casefold() else written


def find_definition(statement: PassageStatement, term: str, language: str) -> DefiningSentence | None:
    """The definition of a term that a sentence gives, or None."""
    patterns = get_patterns(language)
    if not term.strip() or patterns.generic.match(term) or term.split()[0].casefold() in function_words(language):
        return None
    for start, end in find_term(statement.text, term, language):
        found = _first(statement, term, start, end, patterns) or _last(statement, term, start, end, patterns)
        if found and _is_specific(found, language):
            return found
    return None


def find_definitions(
    statements: Sequence[PassageStatement], terms: Sequence[str], language: str
) -> Iterator[DefiningSentence]:
    """Each definition of one of the terms, in the order of the sentences."""
    for statement in statements:
        for term in terms:
            if found := find_definition(statement, term, language):
                yield found


def genus(meaning: str, language: str) -> frozenset[str]:
    """The stems of what a meaning says that a thing is: of "a responsive force that …" those of "responsive force"."""
    words: list[str] = []
    for word in _WORD_OR_BREAK.findall(meaning):
        if word.casefold() in function_words(language) or not word[0].isalnum():
            if words:
                break
            continue
        words.append(word)
    return get_term_stems(" ".join(words), language) if words else frozenset()


def _first(statement: PassageStatement, term: str, start: int, end: int, patterns: Patterns) -> DefiningSentence | None:
    text = statement.text
    if not patterns.before_term.fullmatch(text[:start]):
        return None
    rest = end
    if abbreviation := _ABBREVIATION.match(text, end):
        rest = abbreviation.end()
    verb = patterns.defines.match(text, rest)
    meaning = _cut(text[verb.end() :]) if verb else ""
    if not verb or not patterns.meaning.match(meaning) or patterns.vague.match(meaning):
        return None
    if _THE_ONE.match(text) and patterns.class_of.match(meaning) and not _CLAUSE.search(meaning):
        return None
    return DefiningSentence(term, statement, start, end, meaning, True, verb[0].strip())


def _last(statement: PassageStatement, term: str, start: int, end: int, patterns: Patterns) -> DefiningSentence | None:
    text = statement.text
    called = patterns.calls.search(text)
    if not called or (start, end) != called.span("term"):
        return None
    meaning = text[: called.start()]
    if not patterns.article.match(meaning) or patterns.vague.match(meaning) or _TWO_CLAUSES.search(meaning):
        return None
    return DefiningSentence(term, statement, start, end, meaning[0].lower() + meaning[1:], False)


def _cut(meaning: str) -> str:
    """The words before a clause that adds something, without the full stop."""
    cut = _BREAK.search(meaning)
    return (meaning[: cut.start()] if cut else meaning).rstrip(" .,")


def _is_specific(definition: DefiningSentence, language: str) -> bool:
    meaning = get_term_stems(definition.meaning, language)
    whole = not _DANGLING.search(definition.meaning) and not _UNBOUND.match(definition.meaning)
    whole = whole and not find_term(definition.meaning.split()[0], definition.term.split()[-1], language)
    return whole and len(meaning) >= MIN_MEANING and not get_term_stems(definition.term, language) <= meaning
