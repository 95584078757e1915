"""What passages state: sentences that can stand alone, terms in any form, and what a sentence says of a term."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from chatbots.passages import NumberedPassage
from chatbots.quoting.candidates import QuoteCandidate, find_statements, follows
from learning.material import WORDS
from text.definitions import definitions_in
from text.function_words import content_stems, function_words
from text.languages import get_configuration
from text.names import Key, make_name_key
from text.sections import is_exercise, is_for_teachers, is_label
from text.stemming import stem
from text.tables import TableRow, make_readable_line
from text.words import read_words

MIN_SHARED, MAX_ENDING = 7, 2
"""Letters with which two forms of a word begin, and how many others each may end in."""

_WORD = re.compile(r"[^\W_]+")


def find_term(text: str, term: str, language: str) -> list[tuple[int, int]]:
    """Where the words of a term stand in a text in this order, in any inflection: (start, end) of each place."""
    configuration = get_configuration(language)
    wanted = [stem(word.lower(), configuration) for word in _WORD.findall(term)]
    words = [(match.start(), match.end(), stem(match[0].lower(), configuration)) for match in _WORD.finditer(text)]
    found = []
    for place in range(len(words) - len(wanted) + 1) if wanted else ():
        if [word[2] for word in words[place : place + len(wanted)]] == wanted:
            found.append((words[place][0], words[place + len(wanted) - 1][1]))
    return found


def get_term_stems(text: str, language: str) -> frozenset[str]:
    """The stems of a text without function words; all of them if nothing else is left."""
    return frozenset(content_stems(text, language))


def are_alike(one: str, other: str, language: str) -> bool:
    """Say whether one term is the other one in another form, or a part of it: "force" and "net forces"."""
    first, second = get_term_stems(one, language), get_term_stems(other, language)
    pairs = list(zip(one.casefold(), other.casefold(), strict=False))
    shared = next((place for place, (a, b) in enumerate(pairs) if a != b), len(pairs))
    is_form = shared >= MIN_SHARED and max(len(one), len(other)) - shared <= MAX_ENDING  # mitochondrion, mitochondria
    return first <= second or second <= first or is_form


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """The share of the stems of both that they have in common, from 0 to 1."""
    first, second = set(one), set(other)
    return len(first & second) / (len(first | second) or 1)


def is_plural(term: str) -> bool:
    """Say whether an English term looks like one in the plural."""
    return term.endswith("s") and not term.endswith(("ss", "us", "is", "ics"))


_AT_START, _ANYWHERE = r"\W*(?:{words})(?!\w)", r"(?<![\w-])(?:{words}|{forms})(?![\w-])"
_PATTERNS = {
    "leans": _AT_START,  # the beginning of a sentence that goes on from the one before it
    "instructs": _AT_START,  # the beginning of one that says what to do
    "points": _ANYWHERE,  # what points out of the sentence or speaks to the reader
    "hedge": _ANYWHERE,  # what makes the opposite of a sentence possible too
    "steps": _ANYWHERE,  # what says that a list has an order
    "defines": r"(?-i:\s+(?:{own})\s+)",  # follows a term that is defined
    "calls": r"(?-i:\s(?:{own})\s+(?P<term>[^.,;:]+)\.?$)",  # stands between a meaning and its term
    "before_term": r"(?-i:(?:(?:{own})\s+|[Ll]['’])?)",  # may stand before a term that begins a sentence
    "article": r"(?:{own})",
    "because": r"(?-i:(?P<fact>[^;:]+?),?\s+(?:{own})[\s'’]+(?P<reason>[^;:]+?)\.?)",
}
"""Where the words of a language stand that its file lists, or its regular expressions."""


@cache
def get_pattern(name: str, language: str) -> re.Pattern[str]:
    own = {**read_words(language, WORDS)["patterns"], "instructs": read_words(language)["sections"]["instructs"]}
    text, forms = "|".join(own[name]), "|".join(own.get(f"{name}_forms", ["(?!)"]))
    words = sorted(text.split("|"), key=len, reverse=True)
    escaped = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)
    pattern = _PATTERNS[name].replace("{words}", escaped).replace("{forms}", forms).replace("{own}", text)
    return re.compile(pattern, re.IGNORECASE)


@cache
def get_opposites(language: str) -> tuple[tuple[str, str], ...]:
    pairs = [pair.replace("_", " ").split("/") for pair in read_words(language, WORDS)["patterns"]["opposites"]]
    return tuple((one, other) for one, other in pairs)


def are_opposed(one: str, other: str, language: str) -> bool:
    """Say whether one text has the opposite of a word of the other, as "smaller" and "larger", and not both."""
    first, second = (f" {' '.join(_WORD.findall(text.casefold()))} " for text in (one, other))
    return any(
        f" {a} " in first and f" {a} " not in second and f" {b} " in second and f" {b} " not in first
        for pair in get_opposites(language)
        for a, b in (pair, pair[::-1])
    )


MIN_WORDS, MAX_WORDS = 3, 45
"""Words of a sentence that stands alone. A longer one says more than one thing."""

_LINK = re.compile(r"!?\[([^\]\n]{1,300})\]\([^)\n]{1,400}\)")
_UNDERSCORES = re.compile(r"(?<![\w_])_{1,2}(?=\w)([^_\n]{1,120})_{1,2}(?![\w_])")
_STARS = re.compile(r"(?<![\d\s]\s)\*(?=[^\s*])([^*\n]{0,100}[^\s*])\*(?!\s?\d)")
_ESCAPE = re.compile(r"\\([*_`\[\]|#])")
_MARK = re.compile(r"\[(?:[\d,;\s–-]{1,12}|[A-Z]{2}|[a-z]|citation needed)\]")
_BOLD = re.compile(r"(?:\*\*|__)(?=\S)([^*\n]{2,80}?)(?:\*\*|__)")
_ITALIC = re.compile(r"(?<![*\w])[*_](?=[^\s*_])([^*_\n]{2,60}?)[*_](?![*\w])")
_LEADING_LABEL = re.compile(r"(?:\*\*|__)?([^*:\n]{2,40}?)(?:(?:\*\*|__)\s?:|:\s?(?:\*\*|__)?)\s*")
_RUN_IN = re.compile(r"(?:\*\*|__)[^*\n]{2,80}(?:\*\*|__)(?:\s*\n\s*|\s+(?=[A-ZÁÉÍÓÚÀÂÇ¿]))")
_RUN_IN_GERMAN = re.compile(r"(?:\*\*|__)[^*\n]{2,80}(?:\*\*|__)\s*\n\s*")
"""A heading in bold print on the line of its text, or right above it."""

_BROKEN = re.compile(
    r"[$\\;]|\s[,.](?!\d)|\(\s*\)|\(\s*[,;]|,\s*,|\b(?:in|and|of|by|as|the|a|is|are|to|from|with|und|der|et|de|y)\s*[,.;)]"
    r"|[\u2190-\u22ff\u00af]|=|\|[^|]*\||https?:|www\.|[\ufffd□]|\w[.?!][A-ZÄÖÜÉ]|\b\w+-\s[a-z]|\s['’]\s|__|\.\.\.|…"
    r"|[a-z]\.[A-Z]|[a-z],[a-z]|[×·]\s?10[–−-]?\d|(?:^|\s)[A-Z](?:\s[A-Z]){2}|[\u00ad]|[?¿]"
)
_STARTS = re.compile(r"[\"'“„«(]?[A-ZÄÖÜÀÂÇÉÈÊËÎÏÔÛÙŸÑÁÍÓÚ\d]")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


@dataclass(frozen=True)
class Statement:
    """A sentence as people read it, or a row of a table. `number` is that of its passage.

    `written` is the sentence with its Markdown, `before` the plain sentence right before it in its paragraph.
    """

    text: str
    number: int
    written: str
    before: str = ""
    listed: bool = False
    row: TableRow | None = None

    @property
    def bold(self) -> list[str]:
        return [plain(term).strip(" :.,") for term in _BOLD.findall(self.written)]

    @property
    def italic(self) -> list[str]:
        return [plain(term).strip(" :.,") for term in _ITALIC.findall(_BOLD.sub("", self.written))]


def plain(text: str) -> str:
    """Return Markdown on one line without marks of formatting, links and footnotes; the words stay as they are."""
    text = _UNDERSCORES.sub(r"\1", _LINK.sub(r"\1", text))
    return _ESCAPE.sub(r"\1", _STARS.sub(r"\1", make_readable_line(_MARK.sub("", text))))


def read_statements(passages: Sequence[NumberedPassage], language: str) -> list[Statement]:
    """Return what the passages state, in order, each once, without exercises, hints for teachers, and labels before."""
    read = [passage for passage in passages if not is_exercise(passage.heading_path)]
    found: dict[str, Statement] = {}
    previous: QuoteCandidate | None = None
    for candidate in find_statements(read, language):
        for statement in _read(candidate, previous, language):
            found.setdefault(statement.text, statement)
        previous = candidate
    return list(found.values())


def find_fault(sentence: str, language: str) -> str:
    """Return why a sentence cannot stand alone, in a word or two; "" if it can."""
    if not MIN_WORDS <= len(sentence.split()) <= MAX_WORDS:
        return "length"
    if is_broken(sentence):
        return "broken"
    if get_pattern("leans", language).match(sentence):
        return "goes on from another sentence"
    return "points elsewhere" if get_pattern("points", language).search(sentence) else ""


def is_broken(sentence: str) -> bool:
    """Say whether a sentence is no whole sentence, or an extraction has left holes in it."""
    if not _STARTS.match(sentence) or not sentence.endswith((".", "。", "!")) or _BROKEN.search(sentence):
        return True
    return any(sentence.count(opening) != sentence.count(closing) for opening, closing in _PAIRS)


def _read(candidate: QuoteCandidate, previous: QuoteCandidate | None, language: str) -> Iterator[Statement]:
    """Yield the statement of a candidate: the answer to a question before it, and what a label introduces."""
    sentence, number = candidate.sentence, candidate.passage.number
    if sentence.kind == "title" or is_for_teachers(candidate.passage.text, sentence.start):
        return
    if candidate.row:
        yield Statement(str(candidate.row), number, candidate.text, row=candidate.row)
        return
    raw = candidate.text
    asked = max(raw.rfind(mark) for mark in ("? ", "?\n", "?* ", "?** "))
    raw = raw[asked + 1 :].lstrip("* \n") if asked >= 0 else raw
    if (label := _LEADING_LABEL.match(raw)) and is_label(label[1]):
        if is_exercise([label[1]]):
            return
        raw = raw[label.end() :]
    run_in = _RUN_IN_GERMAN if language.startswith("de") else _RUN_IN
    if sentence.kind != "item" and (heading := run_in.match(raw)):
        raw = raw[heading.end() :]
    is_next = previous is not None and asked < 0 and follows(previous, candidate)
    before = plain(previous.text) if previous and is_next else ""
    if raw.strip() and "\n\n" not in raw and not get_pattern("instructs", language).match(raw):
        yield Statement(plain(raw), number, raw, before, sentence.kind == "item")


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
    found = [_define(statement, term, place, language, bold) for place in places]
    return max(found, key=lambda one: (one.certainty, bool(one.meaning)), default=None)


def _define(statement: Statement, term: str, place: tuple[int, int], language: str, bold: Set[Key]) -> DefiningSentence:
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
