"""Find the concepts of passages without a language model (G4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log

from corpus.passages import Passage
from learning.concepts.boilerplate import is_exercise, is_glossary
from learning.concepts.candidates import Candidate, find_candidates
from learning.concepts.mentions import Mentions, shares_words
from learning.concepts.merging import display_name, merge, synonyms_of, written_words
from learning.concepts.names import Key
from learning.concepts.prerequisites import Taught, prerequisites, teaching_order
from learning.concepts.statements import Statement, plain, read_statements
from learning.material import FoundConcept

MOST_CONCEPTS = 60
MOST_PASSAGES = 8
"""Passages of one concept."""

STUB_WORDS = 30
_CERTAIN, _MARKED = 1.8, 0.85
"""Least weights of a definition: of any name, and of one that the author made stand out."""

_LEAST_MENTIONS = 3
_FEW, _BOOK = 30, 100
"""Passages of a search result, and of a book."""

_PER_CHAPTER = 0.93
"""What each further concept of a chapter counts, so that a plan of a book is not one of its longest chapter."""


def find_concepts(passages: Sequence[Passage], *, topic: str = "", language: str, most: int = 30) -> list[FoundConcept]:
    """Return the concepts of passages in teaching order, at most `most` and never more than MOST_CONCEPTS.

    `passages` are in reading order, one for each chunk of the chosen documents, or those that a search for `topic`
    found. Each concept has a definition that is a sentence of the passage `defined_in`.
    """
    if not passages or most < 1:
        return []
    statements = read_statements(passages, language)
    found = merge(find_candidates(passages, statements, language), language)
    mentions = Mentions(found, language)
    counts = [mentions.count(plain(passage.excerpt)) for passage in passages]
    ranked = _ranked(found, passages, counts, topic=topic, language=language)
    return build(ranked[: min(most, MOST_CONCEPTS)], passages, counts, statements, language)


def _ranked(
    found: Mapping[Key, Candidate],
    passages: Sequence[Passage],
    counts: Sequence[Counter[Key]],
    *,
    topic: str,
    language: str,
) -> list[Candidate]:
    """Return the candidates that have a definition, the best first, with a place for every chapter."""
    total: Counter[Key] = Counter()
    spread: Counter[Key] = Counter()
    for count in counts:
        total.update(count)
        spread.update(count.keys())
    few = len(passages) < _FEW
    scores: dict[Key, float] = {}
    for key, one in found.items():
        if not one.definitions:
            continue
        weight = one.best()[0]
        often = few or (total[key] >= _LEAST_MENTIONS and spread[key] >= 2)
        if weight < (_MARKED if one.is_marked else _CERTAIN) or not (one.is_marked or often):
            continue
        scores[key] = _score(one, weight, total[key], spread[key], len(passages))
        if topic:
            scores[key] *= 0.5 + shares_words(topic, " ".join((*one.forms, one.best()[1].text)), language)
    return _balanced(scores, found, passages)


def _score(one: Candidate, weight: float, total: int, spread: int, passages: int) -> float:
    """How much a concept matters: marks of the author and its definition, times frequency, times rarity."""
    marks = 1.0 + 0.8 * min(one.headings, 2) + 0.5 * min(one.bold, 3) + 1.0 * min(one.listed, 2) + 0.8 * one.is_title
    rarity = log(1 + passages / (1 + spread)) / log(2 + passages)
    return marks * (1.5 + min(weight, 3.0)) * log(2 + total + spread) * (0.5 + rarity)


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


def build(
    chosen: Sequence[Candidate],
    passages: Sequence[Passage],
    counts: Sequence[Counter[Key]],
    statements: Sequence[Statement],
    language: str,
) -> list[FoundConcept]:
    """Return concepts with names, passages, synonyms and prerequisites, in teaching order."""
    by_key = {one.key: one for one in chosen}
    written = written_words(statements)
    names = {key: display_name(one, written, language) for key, one in by_key.items()}
    mentions = Mentions(by_key, language)
    taught = [
        Taught(
            key=key,
            order=min(statement.order for _, statement in one.definitions),
            defined_with=frozenset(mentions.count(one.best()[1].text)) - {key},
            passages=frozenset(index for index, count in enumerate(counts) if count[key]),
            is_field=one.is_title and len(passages) >= _BOOK,
        )
        for key, one in by_key.items()
    ]
    needed = prerequisites(taught)
    order = teaching_order({one.key: one.order for one in taught}, needed)
    return [
        FoundConcept(
            name=names[key],
            definition=by_key[key].best()[1].text,
            defined_in=passages[by_key[key].best()[1].passage],
            passages=_passages(by_key[key], passages, counts),
            synonyms=synonyms_of(by_key[key], names[key], language),
            prerequisites=tuple(names[before] for before in needed[key]),
        )
        for key in order
    ]


def _passages(one: Candidate, passages: Sequence[Passage], counts: Sequence[Counter[Key]]) -> tuple[Passage, ...]:
    """Return the passages about a concept, the best first: its definition's, then those that mention it most."""
    defining = Counter[int]()
    for weight, statement in one.definitions:
        defining[statement.passage] = max(defining[statement.passage], int(10 * weight))
    home = one.best()[1].passage
    scores: dict[int, float] = {home: 1000.0}
    for index, count in enumerate(counts):
        passage = passages[index]
        words = len(passage.excerpt.split())
        if not count[one.key] or index == home or words < STUB_WORDS or _is_boilerplate(passage):
            continue
        headed = any(" ".join(one.key) in heading.casefold() for heading in passage.heading_path[-1:])
        density = count[one.key] / (words + 50)
        scores[index] = 20 * density + 0.3 * min(count[one.key], 5) + headed + 0.1 * defining[index]
    best = sorted(scores, key=lambda index: (-scores[index], index))
    chosen: dict[str, Passage] = {}
    for index in best:
        chosen.setdefault(" ".join(passages[index].excerpt.split()), passages[index])
        if len(chosen) == MOST_PASSAGES:
            break
    return tuple(chosen.values())


def _is_boilerplate(passage: Passage) -> bool:
    return is_exercise(passage.heading_path) or is_glossary(passage.heading_path)
