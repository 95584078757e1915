"""A concept with its sentences and definitions read once, as rules and checks need them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from learning.material import ConceptText
from learning.reading.statements import (
    Certainty,
    DefiningSentence,
    Statement,
    are_alike,
    find_definition,
    find_fault,
    find_term,
    get_term_stems,
    plain,
    read_statements,
)
from text.languages import DETECTABLE, detect_configuration, get_configuration
from text.sentences import split_sentences

WRONG_OPTIONS = 3
"""Beside the right one."""

Sentence = tuple[str, frozenset[str]]
"""A sentence in plain text, and its content stems."""

_SPACE_OR_SIGN = re.compile(r"[\s*_“”„«»\"`\\|]+")


def flat(text: str) -> str:
    """A text in small letters with one apostrophe, without Markdown and quotation marks, to compare word for word."""
    return _SPACE_OR_SIGN.sub(" ", text.replace("’", "'")).strip(" .").casefold()


@dataclass(frozen=True)
class OtherConcept:
    """Another concept of the plan: its name, and the meaning that its definition gives, or ""."""

    name: str
    synonyms: tuple[str, ...]
    meaning: str
    definition: str


class ConceptSources:
    def __init__(self, concept: ConceptText, others: Sequence[ConceptText], language: str) -> None:
        self.concept, self.language = concept, language
        self.numbers = tuple(passage.number for passage in concept.passages)
        named = [one for one in others if one.name != concept.name and any(map(str.isalnum, one.name))]
        self.others = tuple(_read_other(one, language) for one in named)

    @cached_property
    def everything(self) -> list[Statement]:
        """All sentences and rows of the passages that are in the language of the questions."""
        configuration = get_configuration(self.language)
        read = [
            one
            for one in self.concept.passages
            if len(one.text) < DETECTABLE or detect_configuration(one.text) == configuration
        ]
        return read_statements(read, self.language)

    @cached_property
    def statements(self) -> list[Statement]:
        """Sentences that can stand alone."""
        return [one for one in self.everything if not one.row and not find_fault(one.text, self.language)]

    @cached_property
    def definitions(self) -> list[DefiningSentence]:
        """The sentence that defines the concept in the plan, and another one that defines it."""
        wanted = flat(self.concept.definition)
        found: list[DefiningSentence] = []
        for statement in self.everything:
            is_whole = bool(statement.before) and flat(f"{statement.before} {statement.text}") == wanted
            is_own = is_whole or flat(statement.text) == wanted
            fault = find_fault(statement.text, self.language)
            if fault and not (is_own and (is_whole or fault == "broken")):
                continue
            for name in self.own_names:
                one = find_definition(_mark(statement, name) if is_own else statement, name, self.language)
                is_entry = one and one.is_first and one.meaning and one.certainty == Certainty.DEFINED
                if one and (is_own or one.certainty == Certainty.DEFINED) and (fault != "broken" or is_entry):
                    found.append(_widen(one) if is_whole else one)
                    break
        return sorted(found, key=lambda one: flat(one.statement.text) != wanted)[:2]

    @cached_property
    def terms_defined(self) -> list[DefiningSentence]:
        """What the passages of the concept say that other concepts of the plan mean, once for each."""
        found: dict[str, DefiningSentence] = {}
        for statement in self.statements:
            for other in self.others:
                if other.name in found or any(are_alike(other.name, own, self.language) for own in self.own_names):
                    continue
                own = _mark(statement, other.name) if flat(statement.text) == flat(other.definition) else statement
                one = find_definition(own, other.name, self.language)
                if one and one.meaning and one.certainty >= Certainty.BEGINS:
                    found[other.name] = one
        return list(found.values())

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Names of other concepts that the passages speak of."""
        return frozenset(
            one.name
            for one in self.others
            if any(get_term_stems(one.name, self.language) <= sentence for _, sentence in self.sentences)
        )

    @property
    def own_names(self) -> tuple[str, ...]:
        names = (self.concept.name, *self.concept.synonyms)
        return tuple(name for name in names if any(map(str.isalnum, name)))

    def are_named_in(self, text: str) -> bool:
        """Say whether a text has a name of the concept, in any inflection."""
        return any(find_term(text, name, self.language) for name in self.own_names)

    def is_in_reach(self, statement: Statement) -> bool:
        """Say whether a sentence speaks of the concept: by name, or under its heading or right after its name.

        A name within that of another concept, such as cell in "cell wall", does not count.
        """
        heading = next((one.heading_path[-1:] for one in self.concept.passages if one.number == statement.number), ())
        return any(self.are_named_in(self._hide_longer(text)) for text in (statement.text, statement.before, *heading))

    def is_at_home(self, statement: Statement) -> bool:
        """Say whether a sentence stands in the passage of the definition, and names no other concept of the plan."""
        home = {one.statement.number for one in self.definitions[:1]}
        return statement.number in home and not any(
            find_term(statement.text, other.name, self.language) for other in self.others
        )

    def _hide_longer(self, text: str) -> str:
        own = [get_term_stems(name, self.language) for name in self.own_names]
        for other in self.others:
            if any(name < get_term_stems(other.name, self.language) for name in own):
                for start, end in reversed(find_term(text, other.name, self.language)):
                    text = f"{text[:start]}–{text[end:]}"
        return text

    @cached_property
    def flats(self) -> dict[int, str]:
        return {one.number: flat(plain(one.text)) for one in self.concept.passages}

    @cached_property
    def sentences(self) -> list[Sentence]:
        return [one for passage in self.concept.passages for one in self.split(passage.text)]

    def split(self, text: str) -> list[Sentence]:
        found = [plain(text[one.start : one.end]) for one in split_sentences(text, self.language)]
        return [(one, get_term_stems(one, self.language)) for one in found]


def _mark(statement: Statement, name: str) -> Statement:
    """A sentence in which a name counts as printed in bold: the plan says that it defines it."""
    return replace(statement, written=f"**{name}** {statement.written}")


def _widen(definition: DefiningSentence) -> DefiningSentence:
    """A definition with the sentence before it, on which it leans."""
    statement, shift = definition.statement, len(definition.statement.before) + 1
    whole = replace(statement, text=f"{statement.before} {statement.text}")
    return replace(definition, statement=whole, start=definition.start + shift, end=definition.end + shift)


def _read_other(concept: ConceptText, language: str) -> OtherConcept:
    text = plain(concept.definition)
    statement = Statement(text, 0, "")
    found = [find_definition(_mark(statement, name), name, language) for name in (concept.name, *concept.synonyms)]
    one = next((one for one in found if one and one.meaning), None)
    return OtherConcept(one.written if one else concept.name, concept.synonyms, one.meaning if one else "", text)
