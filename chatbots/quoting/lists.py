"""Lists and tables of a text with the line that introduces them, so that they can be quoted as a whole."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from text.sentences import Sentence
from text.tables import TableRow

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
