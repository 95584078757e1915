"""Chunking: cut sections into pieces that fit the embedder, and group pieces into blocks. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from corpus.block_size import CHUNKS_PER_BLOCK, TOKENS_PER_BLOCK
from corpus.embedding.chunk_text import embedding_text
from corpus.ingestion.parsing import Section
from corpus.ingestion.readers.tables import repeat_header
from corpus.ingestion.splitting.atoms import Weigh, atoms, pack
from corpus.ingestion.splitting.markdown_blocks import BlockKind, markdown_blocks
from corpus.ingestion.splitting.purposes import find_purposes
from text.sections import Purpose

CountTokens = Callable[[str], int]

MAX_TOKENS = 300
"""Of a chunk, whatever an embedder can take: one vector for some 200 words, which the reader reads as a whole."""

_TARGET_FILL = 0.7  # of the limit
_NEARLY_FULL = 0.9  # of the limit: fuller pieces are counted together with their headings

# A long unknown word can be a single token, but the database only indexes text of limited length.
_CHARACTERS_PER_TOKEN = 20


@dataclass(frozen=True)
class Piece:
    position: int  # in the document, from 0
    block: int  # number of its block in the document, from 0; a block lies within one section
    heading_path: tuple[str, ...]  # of the section, shortened from the left to half of the limit
    page: int | None
    lines: tuple[int, int] | None  # first and last line of this piece, from 1
    text: str  # with the white space that follows: joined pieces are the section
    tokens: int  # of the text alone
    file_path: str = ""  # of the section
    numbers: tuple[str, ...] = ()  # of the section
    purpose: Purpose = Purpose.STATES


def chunk(
    sections: Sequence[Section], *, count_tokens: CountTokens, max_tokens: int, block_tokens: int = TOKENS_PER_BLOCK
) -> list[Piece]:
    """Cut sections into pieces whose `embedding_text` has at most `max_tokens` tokens, in order and without overlap.

    They never have more than MAX_TOKENS. The joined pieces of a section are its text, but that each part of a long
    table has the header. Cuts fall between paragraphs, list items and sentences. Code, tables
    and formulas are cut between lines or rows, and sentences between clauses or words, only if they exceed the limit
    alone. A block is a run of pieces of one section that are for one purpose, with at most `block_tokens` tokens in
    sum. A single character that exceeds a limit is kept.
    """
    max_tokens = min(max_tokens, MAX_TOKENS)
    pieces: list[Piece] = []
    blocks = 0
    for section, purpose, start_of_part, part in _parts(sections):
        path = _short_path(section.heading_path, count_tokens, max_tokens // 2)
        spans, tokens = _cut(part, path, count_tokens, max_tokens, block_tokens)
        line = _line_finder(section)
        next_starts = [start for start, _ in spans[1:]] + [len(part)]
        for block in _blocks(tokens, block_tokens):
            for number in block:
                start, end = (start_of_part + offset for offset in spans[number])
                pieces.append(
                    Piece(
                        position=len(pieces),
                        block=blocks,
                        heading_path=path,
                        page=section.page,
                        lines=line and (line(start), line(end)),
                        text=part[spans[number][0] : next_starts[number]],
                        tokens=tokens[number],
                        file_path=section.file_path,
                        numbers=section.numbers,
                        purpose=purpose,
                    )
                )
            blocks += 1
    return pieces


def _parts(sections: Iterable[Section]) -> Iterator[tuple[Section, Purpose, int, str]]:
    """Yield the parts of each section, with what they are for and where they begin in it."""
    for section in map(_with_headers, sections):
        for start, end, purpose in find_purposes(section.heading_path, section.text):
            yield section, purpose, start, section.text[start:end]


def _with_headers(section: Section) -> Section:
    """The section with the header of a long table above each part of it that fits a piece."""
    done, text, inserted = 0, "", list[tuple[int, int]]()  # inserted: line in the old text, number of lines before it
    for block in markdown_blocks(section.text):
        lines = section.text[block.start : block.end].split("\n")
        if block.kind is not BlockKind.TABLE or len(lines) < 4 or not set(lines[1]) <= set("|-: >"):
            continue
        (_, head), *parts = repeat_header(lines)
        text += section.text[done : block.start] + "\n".join(head)
        for start, part in parts:
            text += "\n\n" + "\n".join(part)
            inserted.append((section.text.count("\n", 0, block.start) + start, 3))
        done = block.end
    if not inserted:
        return section
    text += section.text[done:]
    if section.lines is None:
        return replace(section, text=text)
    first = section.lines[0]
    numbers = list(section.line_numbers or range(first, first + section.text.count("\n") + 1))
    for line, count in reversed(inserted):
        numbers[line:line] = [numbers[line]] * count
    return replace(section, text=text, line_numbers=tuple(numbers))


def _short_path(path: tuple[str, ...], count_tokens: CountTokens, limit: int) -> tuple[str, ...]:
    """The path shortened to at most `limit` tokens: outer headings are dropped first, then words of the last one."""
    if count_tokens(embedding_text(path, "")) <= limit:
        return path
    candidates = [("…", *path[first:]) for first in range(1, len(path))]
    last = path[-1] if path else ""
    while last := last[len(last) // 4 + 1 :]:
        candidates.append(("… " + (last.partition(" ")[2] or last),))
    return next((short for short in candidates if count_tokens(embedding_text(short, "")) <= limit), ())


def _cut(
    text: str, path: tuple[str, ...], count_tokens: CountTokens, max_tokens: int, block_tokens: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """Offsets and tokens of the pieces of a section. If the whole has more than its parts, it is cut with less room."""
    overhead = count_tokens("")  # tokens that mark begin and end
    headings = count_tokens(embedding_text(path, ""))
    room = min(max_tokens - headings, block_tokens - overhead)

    def weigh(part: str) -> int:
        least = ceil(len(part) / _CHARACTERS_PER_TOKEN)
        return least if least > room else max(count_tokens(part) - overhead, least)

    while True:
        room = max(room, 1)
        spans = _spans(text, weigh, room)
        tokens = [count_tokens(text[start:end]) for start, end in spans]
        fits = all(
            headings + count <= _NEARLY_FULL * max_tokens
            or count_tokens(embedding_text(path, text[start:end])) <= max_tokens
            for (start, end), count in zip(spans, tokens, strict=True)
        )
        if fits or room == 1:
            return spans, tokens
        room -= ceil(room / 10)


def _spans(text: str, weigh: Weigh, room: int) -> list[tuple[int, int]]:
    parts = atoms(text, weigh=weigh, limit=room)
    weights, joints = [part.weight for part in parts], [part.cut_cost for part in parts]
    groups = pack(weights, joints, limit=room, target=room * _TARGET_FILL)
    spans = (_trimmed(text, parts[group[0]].start, parts[group[-1]].end) for group in groups)
    return [(start, end) for start, end in spans if start < end]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without surrounding white space, but with the indentation of its first line."""
    part = text[start:end]
    first = len(part) - len(part.lstrip())
    return start + part.rfind("\n", 0, first) + 1, start + len(part.rstrip())


def _blocks(tokens: Sequence[int], limit: int) -> list[range]:
    """Group pieces into blocks of similar size, as few as the limit and CHUNKS_PER_BLOCK allow."""
    weights = [max(count, ceil(limit / CHUNKS_PER_BLOCK)) for count in tokens]
    total = sum(weights)
    target = max(1.0, total / max(1, ceil(total / limit)))
    return pack(weights, [0.0] * len(weights), limit=limit, target=target)


def _line_finder(section: Section) -> Callable[[int], int] | None:
    if section.lines is None:
        return None
    first = section.lines[0]
    newlines = [match.start() for match in re.finditer("\n", section.text)]
    numbers = section.line_numbers or range(first, first + len(newlines) + 1)
    return lambda offset: numbers[min(bisect_left(newlines, offset), len(numbers) - 1)]
