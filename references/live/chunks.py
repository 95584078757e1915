"""Cut a page into chunks and choose those that are worth scoring. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.ingestion.chunking import CountTokens, chunk
from corpus.ingestion.parsing import Section as TextSection
from references.sections import ArticleSection
from text.function_words import content_stems
from text.matching import coverage, inverse_frequencies
from text.stemming import stems

MIN_WORDS = 30
"""A shorter section says too little to be quoted."""


@dataclass(frozen=True)
class PageChunk:
    """A part of a section that fits the embedder. `block` is its enclosing text of at most 1024 tokens."""

    position: int  # in the page, from 0
    heading_path: tuple[str, ...]
    anchor: str
    text: str
    block: int  # number of the block in the page, from 0
    block_text: str
    embedded_path: tuple[str, ...]  # title and headings as the embedder reads them, shortened to fit


def split_chunks(
    title: str, sections: Sequence[ArticleSection], *, count_tokens: CountTokens, max_tokens: int
) -> list[PageChunk]:
    """The chunks of a page in its order. Sections of less than MIN_WORDS words are left out; long ones are cut
    between sentences where possible."""
    found: list[PageChunk] = []
    blocks = 0
    for section in sections:
        if len(section.text.split()) < MIN_WORDS:
            continue
        whole = TextSection((title, *section.heading_path), section.text)
        pieces = chunk([whole], count_tokens=count_tokens, max_tokens=max_tokens)
        texts: dict[int, str] = {}
        for piece in pieces:
            texts[piece.block] = texts.get(piece.block, "") + piece.text
        found += [
            PageChunk(
                position=len(found) + number,
                heading_path=section.heading_path,
                anchor=section.anchor,
                text=piece.text.strip(),
                block=blocks + piece.block,
                block_text=texts[piece.block].strip(),
                embedded_path=piece.heading_path,
            )
            for number, piece in enumerate(pieces)
        ]
        blocks += len(texts)
    return found


def select_for_scoring(chunks: Sequence[PageChunk], question: str, language: str, most: int) -> list[PageChunk]:
    """At most so many chunks, in the order of the page: those with most of the question's words, rare ones first in
    weight. The beginning of the page comes before others with the same words, since it says what the page is about."""
    if len(chunks) <= most:
        return list(chunks)
    words = [stems(" ".join((*chunk.heading_path, chunk.text)), language) for chunk in chunks]
    weights = inverse_frequencies(content_stems(question, language), [set(found) for found in words])
    ranked = sorted(range(len(chunks)), key=lambda number: (-coverage(words[number], weights), number))
    return [chunks[number] for number in sorted(ranked[:most])]
