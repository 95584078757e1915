"""Terms that the author marked: bold or in italics, in headings, lists of terms, entries, first columns of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import groupby

from corpus.passages import Passage
from learning.concepts.names import is_term, split_short_form
from learning.reading.definitions import APPOSED, MIN_WEIGHT
from learning.reading.statements import Statement, find_fault, plain
from text.definitions import definitions_in, is_abbreviation
from text.function_words import function_words
from text.names import Key, heading_names, is_name, make_name_key
from text.sections import is_exercise, is_glossary, is_label
from text.tables import table_rows
from text.words import read_words

MIN_ROWS = 2
"""Rows of a table whose first column has terms."""

NAMED = 2.0
"""Weight of a pattern from which on a sentence names something, even if it leans on others."""

_ENTRY = re.compile(r"([^:–—]{2,60}?)\s?(?::|\s[–—])\s(?=\S+(?:\s\S+){2})")
_KEYWORDS = re.compile(r"^[ \t>*_-]*([^:\n*_]{3,30}?)\s?[*_]*:[*_]*\s+(\S.*(?:\n\S.*)*)$", re.MULTILINE)
"""A paragraph such as “Key words: acid, base, salt”."""
_ITEM = re.compile(r"^[ \t>]*[-*+][ \t]+(.{2,60})$", re.MULTILINE)


class Mark(IntEnum):
    """How an author marked a term: not at all, so that its definition must say it; so that it may be one; as one."""

    NONE = 0
    WEAK = 1
    STRONG = 2


@dataclass
class Candidate:
    """A name with its marks, and the definition that was chosen for it.

    `forms` are its variants as written, `row` one of a table that tells of it, `value` says how good the definition is.
    """

    key: Key
    forms: Counter[str] = field(default_factory=Counter)
    mark: Mark = Mark.NONE
    synonyms: Counter[str] = field(default_factory=Counter)
    row: Statement | None = None
    order: int = 0
    statement: Statement | None = None
    definition: str = ""
    value: int = -1

    def get_name(self) -> str:
        return self.forms.most_common(1)[0][0]


class Candidates:
    """All names that something speaks for, by key."""

    def __init__(self, language: str) -> None:
        self.by_key: dict[Key, Candidate] = {}
        self._language = language

    def add(self, name: str, mark: Mark) -> Candidate | None:
        """Note a name; None for what cannot be one."""
        name, short = split_short_form(name)
        key = make_name_key(name, self._language)
        fits = is_term(name, self._language) and (mark == Mark.STRONG or is_name(name, self._language))
        if not key or not fits:
            return None
        candidate = self.by_key.setdefault(key, Candidate(key))
        candidate.forms[name] += 1
        candidate.mark = max(mark, candidate.mark)
        if short and is_abbreviation(short, name):
            candidate.synonyms[short] += 1
        return candidate


def find_marked_terms(passages: Sequence[Passage], statements: Sequence[Statement], language: str) -> Candidates:
    """Return every name that the author marked or a sentence defines."""
    found = Candidates(language)
    for heading, mark in _headings(passages):
        for name in heading_names(plain(heading)):
            if not is_label(name):
                found.add(name, mark)
    for name in _listed_terms(passages):
        found.add(name, Mark.STRONG)
    for statement in statements:
        for term in statement.bold:
            found.add(term, Mark.STRONG)
        for term in statement.italic:
            found.add(term, Mark.WEAK)
        if statement.listed and (entry := _ENTRY.match(statement.text)):
            found.add(entry[1], Mark.WEAK)
        if not statement.row:
            _read_definitions(statement, found, language)
    _read_columns(statements, found, language)
    return found


def _headings(passages: Sequence[Passage]) -> Iterator[tuple[str, Mark]]:
    """Yield each heading and title once; that of a whole document only names its subject."""
    taught = [one for one in passages if not is_exercise(one.heading_path) and not is_glossary(one.heading_path)]
    yield from dict.fromkeys((one.document_title, Mark.NONE) for one in taught)
    deepest = max((len(one.heading_path) for one in taught), default=0)
    is_whole = deepest > 1 or len({one.heading_path[:1] for one in taught}) == 1
    for path in dict.fromkeys(one.heading_path for one in taught):
        for depth, heading in enumerate(path):
            yield heading, Mark.WEAK if depth or not is_whole else Mark.NONE


def _listed_terms(passages: Sequence[Passage]) -> Iterator[str]:
    """Yield the names in tables and lists of sections such as "Key terms"."""
    for text in dict.fromkeys(one.text for one in passages if is_glossary(one.heading_path)):
        for row in table_rows(text):
            yield from map(plain, row.cells)
        for item in _ITEM.finditer(text):
            name = plain(item[1])
            entry = _ENTRY.match(name)
            yield entry[1] if entry else name
    for text in dict.fromkeys(one.text for one in passages):
        for line in _KEYWORDS.finditer(text):
            if is_glossary((line[1],)):
                yield from (plain(name).strip(" .") for name in re.split(r"[,;·•|]", line[2]))


def _read_definitions(statement: Statement, found: Candidates, language: str) -> None:
    """Note what a sentence defines, and other names that it gives: "the X is …" may be one certain X unless it says a
    lot, and "this is called X" needs the sentence before it."""
    fault = find_fault(statement.text, language)
    leans = bool(fault) and fault != "broken"
    for name in _find_apposed(statement.text, language):
        found.add(name, Mark.NONE)
    if fault and not leans:
        return
    for one in definitions_in(statement.text, language):
        says = len(statement.text[one.ends :].split())  # with the verb
        is_known = make_name_key(one.term, language) in found.by_key
        fits = is_known or (one.weight >= MIN_WEIGHT and (says >= 7 or not one.is_definite))
        fits = fits and (not leans or one.weight >= NAMED)
        mark = Mark.WEAK if one.weight == NAMED else Mark.NONE
        if fits and (candidate := found.add(one.term, mark)):
            candidate.synonyms.update(filter(None, [one.synonym]))


def _find_apposed(text: str, language: str) -> Iterator[str]:
    """Yield the names that a comma explains: "with cytoplasm, a liquid in which …"."""
    for apposed in APPOSED.finditer(text):
        name: list[str] = []
        for word in reversed(text[max(0, apposed.start() - 120) : apposed.start()].split()):
            is_noun = name and language.startswith("de") and word[:1].isupper()
            if word.casefold() in function_words(language) or len(name) == 2 or not word[-1:].isalpha() or is_noun:
                break
            name.insert(0, word)
        if language.startswith("de") or not any(word[:1].isupper() for word in name):  # else somebody or a place
            yield " ".join(name)


def _read_columns(statements: Sequence[Statement], found: Candidates, language: str) -> None:
    """Note the terms in the first column of each table that has headers, unless a cell has none."""
    number = re.compile("|".join(read_words(language)["questions"]["has_number"]), re.IGNORECASE)
    rows = [one for one in statements if one.row and len(one.row.fields) > 1 and one.row.headers[0]]
    for _, group in groupby(rows, key=lambda one: (one.number, one.row.headers if one.row else ())):
        table = list(group)
        table = [one for one in table if one.row and any(map(_has_words_alone, one.row.cells[1:]))]
        names = [plain(one.row.cells[0]) for one in table if one.row]
        if len(table) < MIN_ROWS or not all(is_term(name, language) and not number.match(name) for name in names):
            continue
        for name, statement in zip(names, table, strict=True):
            if candidate := found.add(name, Mark.STRONG):
                candidate.row = candidate.row or statement


def _has_words_alone(cell: str) -> bool:
    """Say whether a cell says something in words; figures alone are data, and tell of no term."""
    return any(map(str.isalpha, cell)) and not any(map(str.isdigit, cell))
