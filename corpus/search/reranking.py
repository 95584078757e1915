"""Rerank the passages that were found: read the best ones, and order by reading and search together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from corpus.certainty import KEPT, OPEN, SURE, THRESHOLD, certainty, relevance_of
from corpus.passages import Passage
from corpus.search.duplicates import wording
from corpus.search.statements import NAMED
from engines.reader.reading import Reader, Reading
from text.question_types import asks_for_rule, is_settled_by_a_span
from text.shortening import shorten

AT_FIRST, AT_MOST = 3, 10
"""Passages that are read always, and while none of them surely answers."""

CLOSE = 0.28
"""The relevance of the search from which on a passage may be shown where a rule is asked for, whose words often differ
from the question's. Passages below THRESHOLD are shown as the closest only, since reading does not settle rules."""

FLOOR = 0.15
"""Relevance below which a passage is not worth reading."""

MOST_OVER = 160
"""Characters of title and headings that are read above a passage."""


def rerank(question: str, found: Sequence[Passage], reader: Reader) -> dict[tuple[str, str, int], Passage]:
    """Read the best of the passages; return all of them by key, with the relevance that reading and search give them.

    If a few words in a row cannot settle the question (see `is_settled_by_a_span`), reading can only raise a relevance,
    and where a rule is asked for, a passage may be used from CLOSE on.
    Of passages that say the same one is read. A passage that was not read is at most as relevant as the least relevant
    that was, since it comes after it. Reading cannot judge what a question names by its number or its row. Passages in
    a language that the reader does not know stay as they are.
    """
    known = [one for one in found if reader.languages & {"*", one.language}]
    ranked = sorted(known, key=lambda passage: (-passage.relevance, passage.key))
    best = ranked[0].relevance if ranked else 0.0
    sure: dict[tuple[str, ...], Passage] = {}
    settles, may_use = is_settled_by_a_span(question), CLOSE if asks_for_rule(question) else THRESHOLD
    for passage in _different(ranked):
        enough = len(sure) >= AT_FIRST and max(one.certainty or 0.0 for one in sure.values()) >= SURE
        if enough or len(sure) == AT_MOST or (sure and passage.relevance < FLOOR):
            break
        sure[wording(passage.excerpt)] = _read(question, passage, reader, best, None if settles else may_use)
    least = min((one.relevance for one in sure.values()), default=1.0)
    return {one.key: _placed(one, sure, least) if one in known else one for one in found}


def is_unsure(question: str, passages: Iterable[Passage]) -> bool:
    """Whether none of the passages surely answers the question, as far as they were read."""
    read = [passage.certainty for passage in passages if passage.certainty is not None]
    return bool(read) and max(read) < (SURE if is_settled_by_a_span(question) else OPEN)


def read_text(question: str, passage: Passage, reader: Reader) -> Reading:
    """Read a passage from the beginning of its excerpt on, below its title and headings, which tell it from a similar
    one. Places are those of `passage.text`."""
    start = max(passage.text.find(passage.excerpt), 0)
    text = passage.text[start:] if passage.excerpt in passage.text else passage.excerpt
    over = shorten(" › ".join(dict.fromkeys((passage.document_title, *passage.heading_path))), MOST_OVER)
    return reader.read(question, [f"{over}\n{text}"])[0].after(len(over) + 1).moved(start)


def _different(ranked: Iterable[Passage]) -> Iterable[Passage]:
    seen = set()
    for passage in ranked:
        if (words := wording(passage.excerpt)) not in seen:
            seen.add(words)
            yield passage


def _read(question: str, passage: Passage, reader: Reader, best: float, may_use: float | None) -> Passage:
    """The passage with its reading; `may_use` is the relevance from which on it may be used whatever reading says."""
    reading = read_text(question, passage, reader)
    sure = certainty(reading, relevance=passage.relevance, best=best)
    if passage.standing and passage.standing.stated >= NAMED:
        sure = max(sure, SURE)
    relevance = relevance_of(sure)
    if may_use is not None:
        relevance = max(relevance, passage.relevance)
        if passage.relevance >= may_use:
            raised = THRESHOLD + passage.relevance / 100  # which keeps their order
            relevance, sure = max(relevance, raised), max(sure, KEPT)
    return replace(passage, reading=reading, certainty=sure, relevance=relevance)


def _placed(passage: Passage, sure: Mapping[tuple[str, ...], Passage], least: float) -> Passage:
    twin = sure.get(wording(passage.excerpt))
    if twin is None:
        return replace(passage, relevance=min(passage.relevance, least))
    return replace(passage, relevance=twin.relevance, certainty=twin.certainty, reading=twin.reading)
