"""Rerank the passages that were found: read the best ones, and order by reading and search together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from corpus.certainty import MIN_CERTAINTY, OPEN, SURE, THRESHOLD, certainty, compute_lead, convert_to_relevance
from corpus.passages import Passage
from corpus.search.duplicates import wording
from corpus.search.relevance import estimate_score
from corpus.search.statements import NAMED, NEARLY_NAMED
from engines.reader.reading import Reader, Reading
from text.function_words import content_stems
from text.question_language import is_foreign
from text.question_match import QuestionWords
from text.question_types import asks_for_rule, is_settled_by_a_span
from text.shortening import shorten
from text.stemming import stems

MAX_READ = 4
"""Passages that are read; the first one alone if it surely answers: that is so for three of four questions."""

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
    that was, since it comes after it. Where only headings of another passage have words of the question, the search
    alone makes nothing surely an answer. Reading cannot judge what a question names by its number or its row. Passages
    keep their relevance if the reader does not know their language or that of the question; their certainty is that of
    the search alone. Exercises stay as they are.
    """
    stated = [one for one in found if not one.purpose]
    known = [one for one in stated if _can_read(reader, question, one.language)]
    ranked = sorted(known, key=lambda passage: (-passage.relevance, passage.key))
    worth = _different([one for one in ranked if one.relevance >= FLOOR] or ranked[:1])
    settles, may_use = is_settled_by_a_span(question), CLOSE if asks_for_rule(question) else THRESHOLD
    by_wording = {wording(one.excerpt): _get_score(one) for one in sorted(stated, key=_get_score)}
    scores = sorted(by_wording.values(), reverse=True)
    sure: dict[tuple[str, ...], Passage] = {}
    for some in (worth[:1], worth[1:]):
        if all((one.certainty or 0.0) < SURE for one in sure.values()):
            over = [_own_headings(question, passage, known) for passage in some]
            readings = read_texts(question, some, reader, over)
            for passage, reading, own in zip(some, readings, over, strict=True):
                most = OPEN if reading.answered < 0 and own != _headings(passage) else 1.0
                usable_from = 0.0 if passage.is_chosen else None if settles else may_use
                score = _get_score(passage)
                probability = certainty(reading, score=score, lead=compute_lead(score, scores))
                sure[wording(passage.excerpt)] = _judge(passage, reading, usable_from, min(most, probability))
    least = min((one.relevance for one in sure.values()), default=1.0)
    judged = {one.key: _placed(one, sure, least) for one in known}
    judged |= {one.key: _estimate(one, scores) for one in stated if one.standing and one.key not in judged}
    return {one.key: judged.get(one.key, one) for one in found}


def _can_read(reader: Reader, question: str, language: str) -> bool:
    """Whether the reader knows the language of a passage and that of the question."""
    return "*" in reader.languages or (language in reader.languages and not is_foreign(question, language))


def is_unsure(question: str, passages: Iterable[Passage]) -> bool:
    """Whether none of the passages surely answers the question, as far as that is known. OPEN is for what was read."""
    enough = SURE if is_settled_by_a_span(question) else OPEN
    found = [(one.certainty, enough if one.reading else SURE) for one in passages if one.certainty is not None]
    return bool(found) and all(certain < least for certain, least in found)


def read_texts(
    question: str, passages: Sequence[Passage], reader: Reader, over: Sequence[Sequence[str]]
) -> list[Reading]:
    """Read passages, each from the beginning of its excerpt on, below the title and headings `over` it, which tell it
    from a similar one. Places are those of its `text`."""
    starts = [max(one.text.find(one.excerpt), 0) for one in passages]
    lines = [shorten(" › ".join(headings), MAX_HEADING_LENGTH) + "\n" if headings else "" for headings in over]
    texts = [
        line + (one.text[start:] if one.excerpt in one.text else one.excerpt)
        for one, start, line in zip(passages, starts, lines, strict=True)
    ]
    readings = reader.read(question, texts) if texts else []
    return [reading.after(len(line)).moved(start) for reading, start, line in zip(readings, starts, lines, strict=True)]


def _headings(passage: Passage) -> list[str]:
    return list(dict.fromkeys((passage.document_title, *passage.heading_path)))


def _own_headings(question: str, passage: Passage, found: Iterable[Passage]) -> list[str]:
    """The title and headings of a passage, without those whose words of the question are another passage's.

    That stands below the same heading and has them. “The trip costs £12” says nothing of what the lighthouse cost,
    although both are in “A trip to the lighthouse”. A passage without any word of the heading is about all of it.
    Numbers do not count: they tell documents apart.
    """
    asked = QuestionWords(question, passage.language)
    lacking = asked.stems - asked.numbers - asked.find_in(passage.text)
    beside = [one for one in found if one.key[:2] == passage.key[:2]]

    def is_of_another(heading: str) -> bool:
        words = lacking & asked.find_in(heading)
        if not words or content_stems(heading, passage.language).isdisjoint(stems(passage.text, passage.language)):
            return False
        return any(words & asked.find_in(one.text) for one in beside if heading in _headings(one))

    return [heading for heading in _headings(passage) if not is_of_another(heading)]


def _different(ranked: Iterable[Passage]) -> list[Passage]:
    """Of passages that say the same the first one; no more than are read."""
    different: dict[tuple[str, ...], Passage] = {}
    for passage in ranked:
        if len(different) == MAX_READ:
            break
        different.setdefault(wording(passage.excerpt), passage)
    return list(different.values())


def _get_score(passage: Passage) -> float:
    """The score that the search gave, or the typical one of its relevance."""
    return passage.score if passage.standing else estimate_score(passage.relevance)


def _get_least_certainty(passage: Passage) -> float:
    """The certainty that a passage has at least, because the question names it."""
    named = passage.standing.stated if passage.standing else 0
    return SURE if named >= NAMED else MIN_CERTAINTY if named >= NEARLY_NAMED else 0.0


def _estimate(passage: Passage, scores: Sequence[float]) -> Passage:
    """The passage with the certainty that the search alone gives it."""
    score = _get_score(passage)
    sure = certainty(None, score=score, lead=compute_lead(score, scores))
    return replace(passage, certainty=max(sure, _get_least_certainty(passage)))


def _judge(passage: Passage, reading: Reading, may_use: float | None, sure: float) -> Passage:
    """The passage with its reading; `may_use` is the relevance from which on it may be used whatever reading says,
    `sure` the certainty that search and reading give it."""
    sure = max(sure, _get_least_certainty(passage))
    relevance = convert_to_relevance(sure)
    if may_use is not None:
        relevance = max(relevance, passage.relevance)
        if passage.relevance >= may_use:
            raised = THRESHOLD + passage.relevance / 100  # which keeps their order
            relevance, sure = max(relevance, raised), max(sure, MIN_CERTAINTY)
    return replace(passage, reading=reading, certainty=sure, relevance=relevance)


def _placed(passage: Passage, sure: Mapping[tuple[str, ...], Passage], least: float) -> Passage:
    twin = sure.get(wording(passage.excerpt))
    if twin is None:
        below = least - (1 - passage.relevance) / 1000 - 1e-6  # which keeps their order
        floor = THRESHOLD if passage.is_chosen else 0.0
        return replace(passage, relevance=max(floor, min(passage.relevance, below)))
    return replace(passage, relevance=twin.relevance, certainty=twin.certainty, reading=twin.reading)
