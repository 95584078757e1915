"""Whether a passage states something about all that a question names. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from text.question_match import QuestionWords
from text.sentences import Sentence, split_sentences
from text.tables import table_rows

_TYPES = ("date", "number")


STATED = 0.6
"""The least relevance of a passage that states something about all that the question names."""


def states(asked: QuestionWords, over: Sequence[str], text: str) -> bool:
    """Say whether a single sentence or row has all words of the question that say something, in whatever form.

    Those of `over`, title and headings, count as its own, but one must stand in the text unless they are all there. A
    date or number that is asked for must stand beside them. Of what is asked for by its number one word may be missing,
    as may in German what is no noun; but no number.
    """
    above = asked.find_in(" ".join(over))
    for found, labelled, unit in _units(asked, text):
        missing = asked.stems - found - above
        if asked.expected.type in _TYPES and not asked.expected.is_in(unit, asked.language):
            continue
        spared = missing - asked.numbers if labelled else missing - asked.nouns
        if found and missing == spared and len(missing) <= 1 and (not missing or found & asked.nouns):
            return True
    return bool(over) and not asked.stems - above and bool(asked.find_in(over[-1]))


def _units(asked: QuestionWords, text: str) -> Iterator[tuple[set[str], bool, str]]:
    """Yield what each sentence, item or row has of the question, whether by its number, and its text."""
    rows = {row.start: row for row in table_rows(text)}
    label, block = "", -1
    for sentence in split_sentences(text, asked.language):
        row = rows.get(sentence.start) if sentence.kind == "row" else None
        if row:
            if not row.is_header:
                unit = " ".join((row.intro, *row.headers, *row.cells))
                yield asked.find_in(unit), False, " – ".join(row.cells)
            continue
        label, block = (asked.find_label(_line_to(text, sentence)) or (label if block == sentence.block else "")), sentence.block
        unit = text[sentence.start : sentence.end]
        named = asked.find_labelled(label)
        yield asked.find_in(unit) | named, bool(named), unit


def _line_to(text: str, sentence: Sentence) -> str:
    """Return a sentence with what stands before it on its line."""
    before = text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start]
    return (before if len(before) < 12 else "") + text[sentence.start : sentence.end]
