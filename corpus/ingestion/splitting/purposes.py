"""What the parts of a section are for, by its headings and the shape of its blocks. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, zip_longest

from corpus.ingestion.splitting.markdown_blocks import BlockKind, markdown_blocks
from text.sections import Purpose, is_caption, is_for_teachers, names_key_terms, sets_task, should_have_tasks

_MAX_WORDS_OF_TERM = 5
_LABELLED = re.compile(r"\s*\S+(?:\s+[^\s:]+){1,3}(?<!\s\w):[*_]*\s")  # behind the bullet; “Option A:” is none


def find_purposes(heading_path: Sequence[str], text: str) -> Iterator[tuple[int, int, Purpose]]:
    """Yield where parts of a section begin and end, and what they are for. Joined they are its text.

    Exercises stand below a heading that says so, and are tasks that nothing but options follows: where each question
    has its answer the section states something. So does the text before the first task, and a list after a colon. An
    item is an answer, and no option, if it is the only one below a task, or has a short label: “Mondays: 8 to 16”.
    """
    blocks = [(one.kind, one.start, text[one.start : one.end]) for one in markdown_blocks(text)]
    tasks, answers, above = list[int](), 0, len(text)
    for (kind, start, words), (following, _, after) in zip_longest(blocks, blocks[1:], fillvalue=(None, 0, "")):
        goes_on = following is BlockKind.ITEM and not sets_task(after)
        has_options = goes_on and not words.rstrip("*_ \n").endswith(":")
        indent = len(words) - len(words.lstrip()) if kind is BlockKind.ITEM else -1
        if is_task := sets_task(words) or (kind is BlockKind.PROSE and has_options):
            tasks.append(start)
        elif kind is BlockKind.PROSE:
            answers += not is_for_teachers(words, 0)
        elif kind is BlockKind.ITEM:
            answers += _LABELLED.match(words) is not None or (indent > above and not goes_on)
        above = indent if is_task else len(text)
    exercises = tasks[0] if should_have_tasks(heading_path) and answers < len(tasks) else len(text)
    lists_terms = names_key_terms(heading_path)

    def find_purpose(kind: BlockKind, start: int, words: str) -> Purpose:
        if is_for_teachers(words, 0):
            return Purpose.TEACHER
        if is_caption(words):
            return Purpose.CAPTION
        if lists_terms and kind is BlockKind.TABLE and _has_only_terms(words):
            return Purpose.TERMS
        return Purpose.EXERCISE if start >= exercises else Purpose.STATES

    found = [(start, find_purpose(kind, start, words)) for kind, start, words in blocks]
    firsts = [next(group) for _, group in groupby(found, key=lambda one: one[1])] or [(0, Purpose.STATES)]
    starts = [0, *(start for start, _ in firsts[1:]), len(text)]
    for (start, end), (_, purpose) in zip(pairwise(starts), firsts, strict=True):
        yield start, end, purpose


def _has_only_terms(table: str) -> bool:
    """Whether no cell of a table says what a term means: none is long enough, and it is no vocabulary in pairs."""
    rows = [line.strip("|").split("|") for line in table.split("\n") if line.strip()]
    is_vocabulary = len(rows) > 3 and all(len(row) == 2 for row in rows)  # with the line below the header
    return not is_vocabulary and all(len(cell.split()) <= _MAX_WORDS_OF_TERM for row in rows for cell in row)
