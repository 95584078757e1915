"""What the rules see in passages: statements, candidates, how often they are mentioned, and which matter most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from corpus.passages import Passage
from learning.concepts.candidates import Candidate, find_concept_candidates
from learning.concepts.headed import ENOUGH, headed_candidates
from learning.concepts.mentions import Mentions, shares_words
from learning.concepts.merging import merge_candidates
from learning.concepts.statements import Statement, plain, read_statements
from text.names import Key

_CERTAIN, _MARKED = 1.8, 0.85
"""Least weights of a definition: of any name, and of one that the author made stand out."""

_CLEAR, _MIN_CLEAR_MENTIONS = 2.2, 2
"""Least weight and mentions of a name that fills up a plan, where too little stands out."""

_MIN_MENTIONS, _MIN_SPREAD = 3, 2
_FEW = 30
"""Passages of a search result, of which none is there without a reason."""

_PER_CHAPTER = 0.93
"""What each further concept of a chapter counts, so that a plan of a book is not one of its longest chapter."""


@dataclass(frozen=True)
class Survey:
    """Passages with their statements, in order, and the candidates that can be concepts, the best first."""

    passages: Sequence[Passage]
    statements: Sequence[Statement]
    candidates: Sequence[Candidate]
    language: str


def survey(passages: Sequence[Passage], *, topic: str, language: str) -> Survey:
    """Read passages and rank the candidates that have a definition, with a place for every chapter."""
    statements = read_statements(passages, language)
    found = merge_candidates(find_concept_candidates(passages, statements, language), language)
    mentions = Mentions(found, language)
    total: Counter[Key] = Counter()
    spread: Counter[Key] = Counter()
    for passage in passages:
        count = mentions.count(plain(passage.excerpt))
        total.update(count)
        spread.update(count.keys())
    certain: dict[Key, float] = {}
    others: dict[Key, float] = {}
    for key, one in found.items():
        if not one.definitions:
            continue
        score = _score(one, total[key], spread[key], len(passages))
        if topic:
            score *= 0.5 + shares_words(topic, " ".join((*one.forms, *one.titles, one.best()[1].text)), language)
        if _qualifies(one, total[key], spread[key], len(passages)):
            certain[key] = score
        elif one.best()[0] >= _CLEAR and total[key] >= _MIN_CLEAR_MENTIONS:
            others[key] = score
    ranked = [*_balanced(certain, found, passages), *_balanced(others, found, passages)]
    if len(ranked) < ENOUGH:
        ranked += headed_candidates(passages, statements, found, ranked, language)
    return Survey(passages, statements, ranked, language)


def _qualifies(one: Candidate, total: int, spread: int, passages: int) -> bool:
    if one.best()[0] < (_MARKED if one.is_marked else _CERTAIN):
        return False
    return one.is_marked or passages < _FEW or (total >= _MIN_MENTIONS and spread >= _MIN_SPREAD)


def _score(one: Candidate, total: int, spread: int, passages: int) -> float:
    """How much a concept matters: marks of the author and its definition, times frequency, times rarity."""
    marks = 1.0 + 0.8 * min(one.headings, 2) + 0.5 * min(one.bold, 3) + 1.0 * min(one.listed, 2) + 0.8 * one.is_title
    rarity = log(1 + passages / (1 + spread)) / log(2 + passages)
    return marks * (1.5 + min(one.best()[0], 3.0)) * log(2 + total + spread) * (0.5 + rarity)


def _balanced(
    scores: Mapping[Key, float], found: Mapping[Key, Candidate], passages: Sequence[Passage]
) -> list[Candidate]:
    """Return candidates by score; each further one of a chapter counts a little less."""
    chapters: defaultdict[tuple[str, ...], list[Key]] = defaultdict(list)
    for key in sorted(scores, key=lambda key: (-scores[key], key)):
        passage = passages[found[key].best()[1].passage]
        chapters[(passage.origin, passage.file_path, *passage.heading_path[:1])].append(key)
    damped = {key: scores[key] * _PER_CHAPTER**rank for own in chapters.values() for rank, key in enumerate(own)}
    return [found[key] for key in sorted(damped, key=lambda key: (-damped[key], key))]
