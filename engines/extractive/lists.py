"""Lists and tables of a text with the line that introduces them, so that they can be quoted as a whole. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from text.sentences import Sentence
from text.tables import row_at

_BETWEEN = re.compile(r"(?:[\s>*+•‣▪◦·–-]|\[[ xX]\]|\d{1,3}[.)]\s|[a-zA-Z]\)\s)*")


@dataclass(frozen=True)
class Listing:
    """Items of one list, or rows of one table, and the line before them if it ends with a colon."""

    intro: Sentence | None
    entries: tuple[Sentence, ...]


def listings(text: str, sentences: Sequence[Sentence]) -> list[Listing]:
    """Return the lists and tables of a text; a list item with several sentences is one entry."""
    found: list[Listing] = []
    before: Sentence | None = None
    entries: list[Sentence] = []
    intro: Sentence | None = None
    for sentence in sentences:
        if _is_head(text, sentence):
            continue
        if _is_entry(text, sentence):
            if entries and _goes_on(text, entries[-1], sentence):
                entries = _with(entries, sentence)
                continue
            found += [Listing(intro, tuple(entries))] if entries else []
            intro = before if before and _introduces(text, before, sentence) else None
            entries = [sentence]
        else:
            found += [Listing(intro, tuple(entries))] if entries else []
            before, entries = sentence, []
    return [*found, Listing(intro, tuple(entries))] if entries else found


def _is_head(text: str, sentence: Sentence) -> bool:
    row = row_at(text, sentence.start, sentence.end) if sentence.kind == "row" else None
    return row is not None and row.is_header


def _is_entry(text: str, sentence: Sentence) -> bool:
    return sentence.kind == "item" or (
        sentence.kind == "row" and row_at(text, sentence.start, sentence.end) is not None
    )


def _goes_on(text: str, last: Sentence, sentence: Sentence) -> bool:
    between = text[last.end : sentence.start]
    return last.kind == sentence.kind and (last.block == sentence.block or bool(_BETWEEN.fullmatch(between)))


def _with(entries: list[Sentence], sentence: Sentence) -> list[Sentence]:
    last = entries[-1]
    if last.block != sentence.block:
        return [*entries, sentence]
    return [*entries[:-1], Sentence(last.start, sentence.end, last.block, last.kind)]


def _introduces(text: str, before: Sentence, sentence: Sentence) -> bool:
    between = text[before.end : sentence.start]
    if not text[before.start : before.end].rstrip("*_ ").endswith(":"):
        return False
    if sentence.kind == "row":
        return all(line.strip(" \t>")[:1] in {"", "|"} for line in between.splitlines())
    return bool(_BETWEEN.fullmatch(between))
