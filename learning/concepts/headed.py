"""Concepts of sources that define little, such as a data sheet: what a heading names and its section says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from corpus.passages import Passage
from learning.concepts.boilerplate import is_exercise, is_glossary
from learning.concepts.candidates import Candidate
from learning.concepts.statements import Statement, plain
from text.function_words import content_stems
from text.names import Key, heading_names, is_name, make_name_key

ENOUGH = 8
"""Concepts from which on headings without a definition are left out."""

_SUMS_UP = re.compile(
    r"\b(?:summary|problem|solving|introduction|overview|zusammenfassung|résumé|resumen)\b", re.IGNORECASE
)

_SAYS = 0.5
"""The weight of a statement that only speaks of what its heading names."""

_INSTRUCTIONS = frozenset(
    """
    put take use add measure pour mix heat fill place wear keep turn start stop record repeat do never always bring ask
    make allowed leave wash check hold drop weigh dilute dissolve stir solve identify determine draw write list choose
    find calculate substitute sketch read answer explain compare discuss complete prepare follow
    """.split()  # noqa: SIM905
)
"""First words of sentences that tell what to do."""


def headed_candidates(
    passages: Sequence[Passage],
    statements: Sequence[Statement],
    found: Mapping[Key, Candidate],
    taken: Collection[Candidate],
    language: str,
) -> list[Candidate]:
    """Return candidates for headings in reading order, as many as `taken` lacks to ENOUGH.

    Each has the first statement under its heading that stands alone and has a word of the heading.
    """
    chosen: dict[Key, Candidate] = {}
    used = {one.best()[1] for one in taken}
    known = {one.key for one in taken}
    for name, statement in _find_spoken(passages, statements, language):
        key = make_name_key(name, language)
        if len(taken) + len(chosen) >= ENOUGH:
            break
        if key in known or key in chosen or statement in used:
            continue
        one = found.get(key) or Candidate(key)
        one.titles[name] += 1
        one.headings = max(one.headings, 1)
        one.definitions.append((_SAYS, statement))
        chosen[key] = one
        used.add(one.best()[1])
    return list(chosen.values())


def _find_spoken(
    passages: Sequence[Passage], statements: Sequence[Statement], language: str
) -> Iterator[tuple[str, Statement]]:
    """Yield each name in an innermost heading with the first statement under it that speaks of it."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    deepest = min(2, max((len(passage.heading_path) for passage in passages), default=1) or 1)
    for statement in statements:
        passage = passages[statement.passage]
        path = passage.heading_path
        if (
            len(path) < deepest
            or _SUMS_UP.search(path[-1])
            or not statement.defines
            or is_exercise(path)
            or is_glossary(path)
        ):
            continue
        if statement.text.split()[0].casefold().strip('“"(') in _INSTRUCTIONS:
            continue
        place = (passage.origin, path)
        words = content_stems(statement.text, language)
        for name in heading_names(plain(path[-1])):
            if place not in seen and is_name(name, language) and content_stems(name, language) & words:
                seen.add(place)
                yield name, statement
