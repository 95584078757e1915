"""Rerank the passages that were found: read the best ones, and order by reading and search together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from corpus.certainty import KEPT, OPEN, SURE, THRESHOLD, certainty, relevance_of
from corpus.passages import Passage
from corpus.search.duplicates import wording
from corpus.search.statements import NAMED, NEARLY_NAMED
from engines.reader.reading import Reader, Reading
from text.question_types import asks_for_rule, is_settled_by_a_span
from text.shortening import shorten

MAX_READ, ALONE = 4, 0.88
"""Passages that are read, and the certainty of the first one from which on it alone is. At SURE it would be read alone
more often, and the first citation be wrong for one or two more in a hundred."""

CLOSE = 0.28
"""The relevance of the search from which on a passage may be shown where a rule is asked for, whose words often differ
from the question's. Passages below THRESHOLD are shown as the closest only, since reading does not settle rules."""

FLOOR = 0.15
"""Relevance below which a passage is not worth reading."""

MAX_HEADING_LENGTH = 160
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
    worth = _different([one for one in ranked if one.relevance >= FLOOR] or ranked[:1])
    settles, may_use = is_settled_by_a_span(question), CLOSE if asks_for_rule(question) else THRESHOLD
    sure: dict[tuple[str, ...], Passage] = {}
    for some in (worth[:1], worth[1:]):
        if all((one.certainty or 0.0) < ALONE for one in sure.values()):
            readings = read_texts(question, some, reader)
            for passage, reading in zip(some, readings, strict=True):
                one = _judge(passage, reading, best, None if settles else may_use)
                sure[wording(passage.excerpt)] = one
    least = min((one.relevance for one in sure.values()), default=1.0)
    return {one.key: _placed(one, sure, least) if one in known else one for one in found}


def is_unsure(question: str, passages: Iterable[Passage]) -> bool:
    """Whether none of the passages surely answers the question, as far as they were read."""
    read = [passage.certainty for passage in passages if passage.certainty is not None]
    return bool(read) and max(read) < (SURE if is_settled_by_a_span(question) else OPEN)


def read_texts(question: str, passages: Sequence[Passage], reader: Reader) -> list[Reading]:
    """Read passages, each from the beginning of its excerpt on, below its title and headings, which tell it from a
    similar one. Places are those of its `text`."""
    starts = [max(one.text.find(one.excerpt), 0) for one in passages]
    over = [
        shorten(" › ".join(dict.fromkeys((one.document_title, *one.heading_path))), MAX_HEADING_LENGTH) + "\n"
        for one in passages
    ]
    texts = [
        above + (one.text[start:] if one.excerpt in one.text else one.excerpt)
        for one, start, above in zip(passages, starts, over, strict=True)
    ]
    readings = reader.read(question, texts) if texts else []
    return [
        reading.after(len(above)).moved(start) for reading, start, above in zip(readings, starts, over, strict=True)
    ]


def _different(ranked: Iterable[Passage]) -> list[Passage]:
    """Of passages that say the same the first one; no more than are read."""
    different: dict[tuple[str, ...], Passage] = {}
    for passage in ranked:
        if len(different) == MAX_READ:
            break
        different.setdefault(wording(passage.excerpt), passage)
    return list(different.values())


def _judge(passage: Passage, reading: Reading, best: float, may_use: float | None) -> Passage:
    """The passage with its reading; `may_use` is the relevance from which on it may be used whatever reading says."""
    sure = certainty(reading, relevance=passage.relevance, best=best)
    if passage.standing and passage.standing.stated >= NEARLY_NAMED:
        sure = max(sure, SURE if passage.standing.stated >= NAMED else KEPT)
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
        below = least - (1 - passage.relevance) / 1000 - 1e-6  # which keeps their order
        return replace(passage, relevance=max(0.0, min(passage.relevance, below)))
    return replace(passage, relevance=twin.relevance, certainty=twin.certainty, reading=twin.reading)
