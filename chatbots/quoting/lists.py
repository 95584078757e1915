"""Lists and tables of a text with the line that introduces them, so that they can be quoted as a whole."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from text.function_words import function_words
from text.names import strip_article
from text.sentences import Sentence
from text.stemming import stems
from text.tables import TableRow
from text.words import join_patterns

_BETWEEN = re.compile(r"(?:[\s>*+•‣▪◦·–-]|\[[ xX]\]|\d{1,3}[.)]\s|[a-zA-Z]\)\s)*")


@dataclass(frozen=True)
class TextList:
    """Items of one list, or rows of one table, and the line before them if it ends with a colon."""

    intro: Sentence | None
    entries: tuple[Sentence, ...]


def find_lists(text: str, sentences: Sequence[Sentence], rows: Mapping[int, TableRow]) -> list[TextList]:
    """Return the lists and tables of a text, whose rows are given by their start. An item is one entry."""
    found: list[TextList] = []
    before: Sentence | None = None
    inside = False
    for sentence in sentences:
        row = rows.get(sentence.start) if sentence.kind == "row" else None
        if row and row.is_header:
            continue
        if not row and sentence.kind != "item":
            before, inside = sentence, False
        elif inside and _goes_on(text, found[-1].entries[-1], sentence):
            *others, last = found[-1].entries
            new = [replace(last, end=sentence.end)] if last.block == sentence.block else [last, sentence]
            found[-1] = TextList(found[-1].intro, (*others, *new))
        else:
            intro = before if before and _introduces(text, before, sentence) else None
            found.append(TextList(intro, (sentence,)))
            inside = True
    return found


def _goes_on(text: str, last: Sentence, sentence: Sentence) -> bool:
    between = text[last.end : sentence.start]
    return last.kind == sentence.kind and (last.block == sentence.block or bool(_BETWEEN.fullmatch(between)))


def _introduces(text: str, before: Sentence, sentence: Sentence) -> bool:
    between = text[before.end : sentence.start]
    if not text[before.start : before.end].rstrip("*_ ").endswith(":"):
        return False
    if sentence.kind == "row":
        return all(line.strip(" \t>")[:1] in {"", "|"} for line in between.splitlines())
    return bool(_BETWEEN.fullmatch(between))


_AND = r"(?:and|or|und|oder|et|ou|y|e|o|u)"
_ITEM = r"[^,;:.()\n]{2,60}?"
_ENDS = rf",? {_AND} (?P<last>{_ITEM})(?=[,;:.()\n]|$)"
_ENUMERATION = re.compile(rf"(?P<before>:?)\s*{_ITEM}, (?P<second>{_ITEM}){_ENDS}")
_TWO = re.compile(
    rf"(?P<before>:|\b(?:{join_patterns('questions', 'predicates')}|includes?|such as|wie|nämlich|comme|como)\b) "
    rf"(?P<second>(?:[^\s,;:.()]+ ){{0,3}}[^\s,;:.()]+) {_AND} (?P<last>(?:[^\s,;:.()]+ ){{0,3}}[^\s,;:.()]+)"
    r"(?=[,;:.()\n]|$)"
)
_RANGE = re.compile(r"\d ?(?:[ap]m )?(?:[-–]|(?:to|bis|à|a)\b) ?\d")


def enumerates(text: str, question: str, language: str) -> bool:
    """Say whether a text names several things: “…: a and b”, “… are a and b”, “a, b and c”, “8 to 16”.

    What begins with a function word other than an article is no thing: “…, first in one case and then in two”. Things
    after a colon are of the kind that the word before it names, if the question names this too.
    """
    plain = text.replace("*", "")
    asked = set(stems(question, language))
    for one in (one for pattern in (_ENUMERATION, _TWO) for one in pattern.finditer(plain)):
        head = plain[: one.start()].split()[-1:] if one["before"] == ":" else []
        is_kind = all(_is_empty(word, language) or asked.issuperset(stems(word, language)) for word in head)
        if is_kind and not any(_is_empty(strip_article(one[name]), language) for name in ("second", "last")):
            return True
    return bool(_RANGE.search(plain))


def _is_empty(words: str, language: str) -> bool:
    """Say whether words begin with a function word."""
    return words.lower().split()[0] in function_words(language) if words.split() else True
