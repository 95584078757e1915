"""A concept with its sentences and definitions read once, as rules and checks need them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from learning.material import ConceptText
from learning.questions.text.definitions import DefiningSentence, find_definition, find_definitions
from learning.questions.text.patterns import get_patterns
from learning.questions.text.sentences import PassageStatement, plain, read_statements
from learning.questions.text.terms import are_alike, find_term, get_term_stems
from text.function_words import function_words
from text.sentences import split_sentences

WRONG_OPTIONS = 3
"""Beside the right one."""

_BOLD = re.compile(r"\*\*([^*\n]{3,40}?)\*\*")
_GOES_ON = re.compile(r"[^\W\d_A-Z]\w*,? $")
_ONE_CASE = re.compile(
    r"The \w+ (?!of\b|[a-z]+ion\b)(?:is|was|has|does|can|will|acts|must|would)\b|The [\w\s]{1,30} (?:of|on|in) the "
)
_SPACE_OR_SIGN = re.compile(r"[\s*_“”„«»\"`\\|]+")


def flat(text: str) -> str:
    """A text in small letters without Markdown and quotation marks, for comparison word for word."""
    return _SPACE_OR_SIGN.sub(" ", text).strip(" .").casefold()


@dataclass(frozen=True)
class OtherConcept:
    """Another concept of the plan: its name, and the meaning that its definition gives, or ""."""

    name: str
    synonyms: tuple[str, ...]
    meaning: str
    definition: str


class ConceptSources:
    """The sources of one concept, beside the other concepts of its plan."""

    def __init__(self, concept: ConceptText, others: Sequence[ConceptText], language: str) -> None:
        self.concept, self.language = concept, language
        self.numbers = tuple(passage.number for passage in concept.passages)
        named = [one for one in others if one.name != concept.name and any(map(str.isalnum, one.name))]
        self.others = tuple(_read_other(one, language) for one in named)
        self._others = named

    @cached_property
    def statements(self) -> list[PassageStatement]:
        """Sentences that can stand alone, those that define the concept first."""
        found = read_statements(self.concept.passages, self.language)
        definition = flat(self.concept.definition)
        return sorted(found, key=lambda one: flat(one.text) != definition)

    @cached_property
    def texts_of_concept(self) -> list[str]:
        """The sections of the passages, each once, in plain text."""
        return [plain(text) for text in dict.fromkeys(one.text for one in self.concept.passages)]

    @cached_property
    def texts_of_others(self) -> list[str]:
        """The same of all other concepts."""
        texts = dict.fromkeys(passage.text for one in self._others for passage in one.passages)
        return [plain(text) for text in texts]

    @cached_property
    def about(self) -> list[PassageStatement]:
        """Sentences whose subject is the concept in general, not one case of it as in "The force is 5 N"."""
        defining = [one.statement for one in self.definitions]
        found = [one for one in self.statements if self.names_at_start(one.text)]
        return [one for one in found if one in defining or not _ONE_CASE.match(one.text)]

    @cached_property
    def definitions(self) -> list[DefiningSentence]:
        """Definitions of the concept, each by another sentence; at most two."""
        return list(find_definitions(self.statements, self.own_names, self.language))[:2]

    @cached_property
    def terms_defined(self) -> list[DefiningSentence]:
        """Definitions of other terms in the passages of the concept: of the plan, or printed in bold; one for each."""
        names = [one.name for one in self.others]
        found: dict[str, DefiningSentence] = {}
        for statement in self.statements:
            bold = [plain(term).strip(" .,:;") for term in _BOLD.findall(statement.written)]
            for term in dict.fromkeys([*bold, *names]):
                if any(are_alike(term, own, self.language) for own in self.own_names):
                    continue
                if term.casefold() not in found and (one := find_definition(statement, term, self.language)):
                    found[term.casefold()] = one
        return list(found.values())

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Names of other concepts that the passages speak of."""
        return frozenset(
            one.name
            for one in self.others
            if any(get_term_stems(one.name, self.language) <= sentence for sentence in self.sentence_stems)
        )

    @cached_property
    def together(self) -> Counter[str]:
        """How many sentences speak of each other concept together with this one."""
        own = [get_term_stems(name, self.language) for name in self.own_names]
        shared = [one for one in self.sentence_stems if any(name <= one for name in own)]
        return Counter(
            other.name
            for other in self.others
            if not any(get_term_stems(other.name, self.language) <= name for name in own)
            for sentence in shared
            if get_term_stems(other.name, self.language) <= sentence
        )

    @property
    def own_names(self) -> tuple[str, ...]:
        names = (self.concept.name, *self.concept.synonyms)
        return tuple(name for name in names if any(map(str.isalnum, name)))

    def are_named_in(self, text: str) -> bool:
        """Say whether a text has a name of the concept, in any inflection."""
        return any(find_term(text, name, self.language) for name in self.own_names)

    @cached_property
    def flats(self) -> dict[int, str]:
        """The text of each passage for comparison word for word."""
        return {one.number: flat(plain(one.text)) for one in self.concept.passages}

    @cached_property
    def sentence_stems(self) -> list[frozenset[str]]:
        """The content stems of each sentence of the passages."""
        return [
            get_term_stems(one.text[sentence.start : sentence.end], self.language)
            for one in self.concept.passages
            for sentence in split_sentences(one.text, self.language)
        ]

    def is_proper_name(self, definition: DefiningSentence) -> bool:
        """Say whether a term is the name of one thing: always capitalised within sentences. Never so in German."""
        if self.language.startswith("de"):
            return False
        inside = [
            one.text[start]
            for one in self.concept.passages
            for start, _ in find_term(one.text, definition.term, self.language)
            if _GOES_ON.search(one.text[max(0, start - 8) : start])
        ]
        if inside:
            return all(first.isupper() for first in inside)
        return all(
            word[0].isupper() for word in definition.statement.text[definition.start : definition.end].split()[1:]
        ) and (" " in definition.term)

    def identifies(self, definition: DefiningSentence) -> bool:
        """Say whether the meaning fits the term alone: "a state in Australia" does not tell which."""
        return not self.is_proper_name(definition) or not get_patterns(self.language).class_of.match(definition.meaning)

    def names_at_start(self, sentence: str) -> bool:
        """Say whether a sentence begins with a name of the concept, but for an article."""
        patterns = get_patterns(self.language)
        return any(
            (not sentence[:start].strip("“„« ") or patterns.article.fullmatch(sentence[:start]))
            and sentence[end : end + 1] not in ("-", "–")
            and not self._is_compound(sentence[end:])
            for name in self.own_names
            for start, end in find_term(sentence, name, self.language)[:1]
        )

    def _is_compound(self, rest: str) -> bool:
        """Say whether a name goes on in the words after it, as heat in "heat engines do work"."""
        words = rest.split(" ", 3)[1:3]
        if rest[:1] != " " or len(words) < 2 or not words[0].isalpha():
            return False
        verb = get_patterns(self.language).verb
        plain_word = words[0] not in function_words(self.language) and not verb.fullmatch(words[0])
        return plain_word and bool(verb.fullmatch(words[1]))


def _read_other(concept: ConceptText, language: str) -> OtherConcept:
    statement = PassageStatement(plain(concept.definition), 0, concept.definition)
    names = (concept.name, *concept.synonyms)
    found = next(find_definitions([statement], names, language), None)
    if found is None:
        return OtherConcept(concept.name, concept.synonyms, "", statement.text)
    return OtherConcept(found.written, concept.synonyms, found.meaning, statement.text)
