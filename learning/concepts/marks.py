"""Terms that the author marked: bold or in italics, in headings, lists of terms, entries, first columns of tables."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import groupby

from corpus.passages import Passage
from learning.reading.statements import APPOSED, MIN_WEIGHT, Statement, find_fault, plain
from text.definitions import definitions_in, is_abbreviation
from text.function_words import function_words
from text.names import MAX_WORDS, WORD, Key, heading_names, is_name, make_name_key, strip_article, word_key
from text.sections import is_exercise, is_glossary, is_label
from text.tables import table_rows
from text.words import read_words

MAX_SYNONYMS = 5
_WITH_SHORT_FORM = re.compile(r"(?P<name>[^()]+) \((?P<short>[^()]{2,12})\)")


def is_term(name: str, language: str) -> bool:
    """Say whether words that an author marked can be a term: a few words, none a label, a number or emphasis."""
    words = [word.casefold() for word in WORD.findall(name)]
    if not words or len(words) > MAX_WORDS + 2 or is_label(name) or re.search(r"[$=+<>|;\\?!:]|https?", name):
        return False
    if len(name) < 2 or not any(sign.isalpha() for sign in name) or name[0].isdigit():
        return False
    little = function_words(language)
    if words[0] in little or words[-1] in little:
        return False
    return len(words) > 1 or (len(words[0]) > 2 or name.isupper())


def split_short_form(name: str) -> tuple[str, str]:
    """Return a name without its article and the short form after it: of "the acid (DNA)", "acid" and "DNA"."""
    found = _WITH_SHORT_FORM.fullmatch(name.strip())
    return (strip_article(found["name"]), found["short"]) if found else (strip_article(name), "")


def choose_form(forms: Iterable[str], words: Counter[str], key: Key, language: str) -> str:
    """Return the form in which a name is shown: in the singular where that occurs, and without a capital that only a
    heading or the start of a sentence gave it. `words` counts the words within sentences."""
    found = Counter(forms)
    form = max(found, key=lambda form: (_is_singular(form, key), found[form], form))
    if language.startswith("de"):
        return form
    shown = form.split()
    for place, word in enumerate(shown):
        lower = word[:1].lower() + word[1:]
        is_unknown = not words[lower] and not words[word]
        is_common = words[lower] > (0 if place == 0 else words[word])
        is_first = place == 0 and is_unknown and len(shown) > 1 and not shown[1][:1].isupper()
        if word[1:].islower() and (is_common or is_first):
            shown[place] = lower
    return " ".join(shown)


def _is_singular(form: str, key: Key) -> bool:
    return tuple(word.casefold().replace("’", "'") for word in WORD.findall(form)) == key


class Mentions:
    """Finds names in texts by their keys. `aliases` maps the key of a synonym to that of its concept."""

    def __init__(self, keys: Iterable[Key], language: str, aliases: Mapping[Key, Key] | None = None) -> None:
        self._language = language
        self._by_first: defaultdict[str, list[tuple[Key, Key]]] = defaultdict(list)
        for key, meant in [*((key, key) for key in keys), *(aliases or {}).items()]:
            self._by_first[key[0]].append((key, meant))

    def count(self, text: str) -> Counter[Key]:
        words = [word_key(word, self._language) for word in WORD.findall(unicodedata.normalize("NFKC", text))]
        found: Counter[Key] = Counter()
        for place, word in enumerate(words):
            for key, meant in self._by_first.get(word, ()):
                if tuple(words[place : place + len(key)]) == key:
                    found[meant] += 1
        return found


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
