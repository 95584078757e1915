"""The sentences and rows of passages that state something, in plain text, and whether one can stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatbots.passages import NumberedPassage
from chatbots.quoting.candidates import QuoteCandidate, find_statements, follows
from learning.reading.terms import get_pattern
from text.sections import is_exercise, is_for_teachers, is_label
from text.tables import TableRow, make_readable_line

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
