"""Whether a passage states something about all that a question names. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from text.question_match import QuestionWords
from text.sentences import line_to, split_sentences
from text.stemming import is_code
from text.tables import table_rows

_TYPES = ("date", "number", "unit")


STATED, NEARLY_NAMED, NAMED = 0.6, 0.7, 0.8
"""The relevance of a passage that states something about all that the question names: in its words, or in a row of a
table or under a number that the question asks for, with all words but one or with all, which reading cannot judge."""


def find_statement(asked: QuestionWords, over: Sequence[str], text: str) -> float:
    """Return what a single sentence or row states: NAMED, NEARLY_NAMED or STATED if it has all words of the question
    that say something, in whatever form; else 0.

    Those of `over`, title and headings, count as its own, but one must stand in the text unless they are all there. A
    date, number or unit that is asked for must stand beside them. One word may be missing, but no number, where the
    question names a row or what it asks for by its number, and in German if it is no noun. A section is named by a
    code, too, that its heading has.
    """
    if not asked.has_content:
        return 0.0  # such as “why?”
    above, best = asked.find_in_headings(over), 0.0
    if any(map(is_code, asked.find_in_headings(over[-1:]))):
        return NAMED
    if len(asked.stems - above - asked.find_in(text) - asked.labelled) > 1:
        return 0.0  # most passages: they need not be cut into sentences
    for found, is_named, unit in _units(asked, text):
        missing = asked.stems - found - above
        if not found or (asked.expected.type in _TYPES and not asked.expected.is_in(unit, asked.language)):
            continue
        if not missing:
            best = max(best, NAMED if is_named else STATED)
        elif len(missing) == 1 and not missing & (asked.numbers if is_named else asked.nouns) and found & asked.nouns:
            best = max(best, NEARLY_NAMED if is_named else STATED)
    return max(best, _name_section(asked, over, above))


def _name_section(asked: QuestionWords, over: Sequence[str], above: set[str]) -> float:
    """Return NAMED for a section that is asked for by its number, STATED for one that is in words, else 0."""
    if not over or asked.stems - above:
        return 0.0
    if asked.find_labelled(asked.find_label(f"{over[-1]} ")):
        return NAMED
    return STATED if asked.find_in_headings(over[-1:]) else 0.0


def _units(asked: QuestionWords, text: str) -> Iterator[tuple[set[str], bool, str]]:
    """Yield what each sentence, item or row has of the question, whether that names it, and its text."""
    rows = {row.start: row for row in table_rows(text)}
    label, block = "", -1
    for sentence in split_sentences(text, asked.language):
        unit = text[sentence.start : sentence.end]
        before, block = block, sentence.block
        if row := rows.get(sentence.start):
            label = asked.find_label(f"{row.cells[0]} ")
            found = set[str]() if row.is_header else asked.find_in(" ".join((row.intro, *row.headers, *row.cells)))
            is_named = asked.names(row.cells[0])
        else:
            label = asked.find_label(line_to(text, sentence)) or (label if block == before else "")
            found, is_named = asked.find_in(unit), False
        labelled = asked.find_labelled(label)
        yield found | labelled, is_named or bool(labelled), unit
