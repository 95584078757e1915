"""What the parts of a section are for, by its headings and the shape of its blocks. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from corpus.ingestion.splitting.markdown_blocks import BlockKind, markdown_blocks
from text.sections import Purpose, is_caption, is_exercise, is_for_teachers, names_key_terms, sets_task

_MAX_WORDS_OF_TERM = 5


def find_purposes(heading_path: Sequence[str], text: str) -> Iterator[tuple[int, int, Purpose]]:
    """Yield where parts of a section begin and end, and what they are for. Joined they are its text.

    Exercises stand below a heading that says so, and are tasks that nothing but options follows: where each question
    has its answer the section states something.
    """
    blocks = [(one.kind, one.start, text[one.start : one.end]) for one in markdown_blocks(text)]
    kinds = [*(kind for kind, _, _ in blocks), None]
    tasks = answers = 0
    for (kind, _, words), following in zip(blocks, kinds[1:], strict=True):
        is_task = sets_task(words) or (kind is BlockKind.PROSE and following is BlockKind.ITEM)
        tasks += is_task
        answers += kind is BlockKind.PROSE and not is_task and not is_for_teachers(words, 0)
    own = Purpose.EXERCISE if is_exercise(heading_path) and answers < tasks else Purpose.STATES
    lists_terms = names_key_terms(heading_path)

    def find_purpose(kind: BlockKind, words: str) -> Purpose:
        if is_for_teachers(words, 0):
            return Purpose.TEACHER
        if is_caption(words):
            return Purpose.CAPTION
        return Purpose.TERMS if lists_terms and kind is BlockKind.TABLE and _has_only_terms(words) else own

    found = [(start, find_purpose(kind, words)) for kind, start, words in blocks]
    firsts = [next(group) for _, group in groupby(found, key=lambda one: one[1])] or [(0, own)]
    starts = [0, *(start for start, _ in firsts[1:]), len(text)]
    for (start, end), (_, purpose) in zip(pairwise(starts), firsts, strict=True):
        yield start, end, purpose


def _has_only_terms(table: str) -> bool:
    """Whether no cell of a table is long enough to say what a term means."""
    return all(len(cell.split()) <= _MAX_WORDS_OF_TERM for line in table.splitlines() for cell in line.split("|"))
