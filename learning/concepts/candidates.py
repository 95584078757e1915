"""Candidates for concepts: names in headings, bold print, definitions and lists of terms, with what speaks for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from corpus.passages import Passage
from learning.concepts.boilerplate import is_exercise, is_glossary
from learning.concepts.clarity import clarity
from learning.concepts.statements import Statement, plain
from learning.material import WORDS
from text.definitions import Definition, definitions_in, glossary_entry, is_abbreviation
from text.function_words import function_words
from text.names import MAX_WORDS, WORD, Key, heading_names, is_name, make_name_key, strip_article, word_key
from text.tables import table_rows
from text.words import read_words

_BOLD_BONUS = 1.0
_SAYS_SOMETHING = 0.9
_AUXILIARIES = frozenset(
    """
    is are was were can could have has had will would may do does did not ist sind war wird werden kann hat
    """.split()  # noqa: SIM905
)

_DEFINITE = 0.8
"""What "The X is …" loses unless X is bold: it may be one certain X that was spoken of before."""

_WITH_SHORT_FORM = re.compile(r"(?P<name>[^()]+) \((?P<short>[^()]+)\)")
_ITEM = re.compile(r"^[ \t>]*[-*+][ \t]+(.{2,60})$", re.MULTILINE)


@dataclass
class Candidate:
    """A name with what speaks for it. `definitions` are statements, each with how surely it defines the name.

    `forms` are its variants as sentences write it, `titles` as headings do, where capitals say little.
    """

    key: Key
    forms: Counter[str] = field(default_factory=Counter)
    titles: Counter[str] = field(default_factory=Counter)
    bold: int = 0
    headings: int = 0
    listed: int = 0
    is_title: bool = False
    definitions: list[tuple[float, Statement]] = field(default_factory=list)
    synonyms: Counter[str] = field(default_factory=Counter)

    @property
    def is_marked(self) -> bool:
        """Say whether the author made it stand out."""
        return bool(self.bold or self.headings or self.listed or self.is_title)

    def best(self) -> tuple[float, Statement]:
        """Return the statement that defines it best, of equals the first. It must have one."""
        return max(self.definitions, key=lambda one: (one[0], -one[1].order))

    def absorb(self, other: Candidate) -> None:
        """Take over what speaks for another name of the same concept."""
        self.forms += other.forms
        self.titles += other.titles
        self.synonyms += other.synonyms
        self.definitions += other.definitions
        self.bold, self.headings, self.listed = (
            self.bold + other.bold,
            self.headings + other.headings,
            self.listed + other.listed,
        )
        self.is_title = self.is_title or other.is_title


class ConceptCandidates:
    """All names that something speaks for, by key."""

    def __init__(self, language: str) -> None:
        self.by_key: dict[Key, Candidate] = {}
        self._language = language

    def named(self, name: str, *, in_title: bool = False) -> Candidate | None:
        """Return the candidate of a name, a new one for a new name, None for what cannot be a name."""
        short = _WITH_SHORT_FORM.fullmatch(name)
        name = strip_article(short["name"] if short else name)
        key = make_name_key(name, self._language) if is_name(name, self._language) else ()
        if not key:
            return None
        candidate = self.by_key.setdefault(key, Candidate(key))
        (candidate.titles if in_title else candidate.forms)[name] += 1
        if short and is_abbreviation(short["short"], name):
            candidate.synonyms[short["short"]] += 1
        return candidate


def find_concept_candidates(
    passages: Sequence[Passage], statements: Sequence[Statement], language: str
) -> ConceptCandidates:
    """Return every name that something speaks for."""
    found = ConceptCandidates(language)
    for heading, is_title in _headings(passages):
        for name in heading_names(plain(heading)):
            if candidate := found.named(name, in_title=True):
                candidate.headings += not is_title
                candidate.is_title = candidate.is_title or is_title
    for name in _listed_terms(passages):
        if candidate := found.named(name):
            candidate.listed += 1
    for statement in statements:
        _read(statement, found, language)
    for statement in statements:
        _read_subject(statement, found, language)
    return found


def _headings(passages: Sequence[Passage]) -> Iterator[tuple[str, bool]]:
    """Yield each heading once, and whether it is the title of a document."""
    seen: set[tuple[str, ...]] = set()
    for passage in passages:
        path = passage.heading_path
        if is_exercise(path) or is_glossary(path):
            continue
        for depth in range(len(path)):
            if path[: depth + 1] not in seen:
                seen.add(path[: depth + 1])
                yield path[depth], False
        if (passage.document_title,) not in seen:
            seen.add((passage.document_title,))
            yield passage.document_title, True


def _listed_terms(passages: Sequence[Passage]) -> Iterator[str]:
    """Yield the names in tables and lists of sections such as "Key terms"."""
    seen: set[str] = set()
    for passage in passages:
        if is_glossary(passage.heading_path) and passage.text not in seen:
            seen.add(passage.text)
            for row in table_rows(passage.text):
                yield from map(plain, row.cells)
            yield from (plain(match[1]) for match in _ITEM.finditer(passage.text))


def _read(statement: Statement, found: ConceptCandidates, language: str) -> None:
    """Note the bold terms of a statement and what it defines."""
    bold = [candidate for term in statement.bold if (candidate := found.named(term))]
    for candidate in bold:
        candidate.bold += 1
    if not statement.defines:
        return
    weights: dict[Key, float] = {}
    for definition in _definitions(statement, {candidate.key for candidate in bold}, language):
        candidate = found.named(definition.term)
        if candidate:
            candidate.synonyms.update(filter(None, [definition.synonym]))
        if candidate and definition.weight:
            weight = definition.weight + (_BOLD_BONUS if candidate in bold else -_DEFINITE * definition.is_definite)
            weight *= statement.quality * clarity(statement.text, definition.ends)
            weights[candidate.key] = max(weight, weights.get(candidate.key, 0.0))
    for key, weight in weights.items():
        found.by_key[key].definitions.append((weight, statement))


def _read_subject(statement: Statement, found: ConceptCandidates, language: str) -> None:
    """Note a statement about a marked name, such as "The first law applies …": it defines where nothing else does."""
    verbs = read_words(language, WORDS)["verbs"]
    words = WORD.findall(strip_article(statement.text))[: MAX_WORDS + 2] if statement.defines and verbs else []
    for length in range(len(words) - 2, 0, -1):
        candidate = found.by_key.get(tuple(word_key(word, language) for word in words[:length]))
        if candidate is None:
            continue
        known = any(other is statement for _, other in candidate.definitions)
        says = verbs and words[length] in verbs and words[length + 1] in function_words(language) - _AUXILIARIES
        if candidate.is_marked and not known and says:
            weight = _SAYS_SOMETHING * statement.quality * clarity(statement.text, 0)
            candidate.definitions.append((weight, statement))
        return


def _definitions(statement: Statement, bold: set[Key], language: str) -> Iterator[Definition]:
    yield from definitions_in(statement.text, language)
    if statement.in_glossary or bold:
        entry = glossary_entry(statement.text, language)
        if entry and (statement.in_glossary or make_name_key(entry.term, language) in bold):
            yield entry
