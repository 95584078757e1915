"""Build concepts from chosen candidates: names, passages, synonyms and prerequisites, in teaching order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from corpus.passages import Passage
from learning.concepts.boilerplate import is_exercise, is_for_teachers, is_glossary
from learning.concepts.candidates import Candidate
from learning.concepts.mentions import Mentions
from learning.concepts.merging import display_name, list_synonyms, written_words
from learning.concepts.prerequisites import TaughtConcept, prerequisites, teaching_order
from learning.concepts.statements import plain
from learning.concepts.survey import Survey
from learning.material import FoundConcept
from text.names import Key, make_name_key

MAX_PASSAGES = 8
"""Passages of one concept."""

STUB_WORDS = 30
_BOOK = 100
"""Passages from which on the title names a field."""

Counts = Sequence[Counter[Key]]


def build(
    chosen: Sequence[Candidate], seen: Survey, claimed: Mapping[Key, Set[Key]] | None = None
) -> list[FoundConcept]:
    """Return the concepts of these candidates; `claimed` are prerequisites that a language model gave."""
    by_key = {one.key: one for one in chosen}
    language, passages = seen.language, seen.passages
    written = written_words(seen.statements)
    names = {key: display_name(one, written, language) for key, one in by_key.items()}
    mentions = Mentions(by_key, language, _aliases(by_key, language))
    counts = [mentions.count(plain(passage.excerpt)) for passage in passages]
    taught = [
        TaughtConcept(
            key=key,
            order=min(statement.order for _, statement in one.definitions),
            defined_with=frozenset(mentions.count(one.best()[1].text)) - {key},
            passages=frozenset(index for index, count in enumerate(counts) if count[key]),
            claimed=frozenset((claimed or {}).get(key, ())),
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
            synonyms=list_synonyms(by_key[key], names[key], language),
            prerequisites=tuple(names[before] for before in needed[key]),
        )
        for key in order
    ]


def _aliases(by_key: Mapping[Key, Candidate], language: str) -> dict[Key, Key]:
    aliases = {make_name_key(synonym, language): key for key, one in by_key.items() for synonym in one.synonyms}
    return {alias: key for alias, key in aliases.items() if alias and alias not in by_key}


def _passages(one: Candidate, passages: Sequence[Passage], counts: Counts) -> tuple[Passage, ...]:
    """Return the passages about a concept, the best first: its definition's, then those that mention it most."""
    defining = Counter[int]()
    for weight, statement in one.definitions:
        defining[statement.passage] = max(defining[statement.passage], int(10 * weight))
    home = one.best()[1].passage
    scores: dict[int, float] = {}
    for index, count in enumerate(counts):
        words = len(passages[index].excerpt.split())
        if count[one.key] and index != home and words >= STUB_WORDS and not _is_boilerplate(passages[index]):
            headed = any(" ".join(one.key) in heading.casefold() for heading in passages[index].heading_path[-1:])
            density = 20 * count[one.key] / (words + 50)
            scores[index] = density + 0.3 * min(count[one.key], 5) + headed + 0.1 * defining[index]
    chosen: dict[str, Passage] = {}
    for index in [home, *sorted(scores, key=lambda index: (-scores[index], index))]:
        chosen.setdefault(" ".join(passages[index].excerpt.split()), passages[index])
        if len(chosen) == MAX_PASSAGES:
            break
    return tuple(chosen.values())


def _is_boilerplate(passage: Passage) -> bool:
    begins = max(0, passage.text.find(passage.excerpt.strip()[:80]))
    path = passage.heading_path
    return is_exercise(path) or is_glossary(path) or is_for_teachers(passage.text, begins)
