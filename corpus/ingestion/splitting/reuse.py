"""Pieces of an older version, found again among atoms, so that an update is cut at the same places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

from corpus.ingestion.splitting.atoms import Atom

_HEAD = 40  # characters that are compared first; shorter pieces are whole sections, which are cut alike anyway

KnownPiece = tuple[Sequence[str], str]
"""The heading path and text of a piece."""


def texts_by_path(known: Iterable[KnownPiece]) -> Mapping[tuple[str, ...], set[str]]:
    """The texts of known pieces by heading path, without white space at either end."""
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for path, text in known:
        found[tuple(path)].add(text.strip())
    return found


def known_groups(text: str, atoms: Sequence[Atom], known: Set[str], *, limit: int) -> set[tuple[int, int]]:
    """The groups of atoms within `limit` whose text is known, as (first, last + 1)."""
    heads = {one[:_HEAD] for one in known}
    ends = [atom.start + len(text[atom.start : atom.end].rstrip()) for atom in atoms]
    found: set[tuple[int, int]] = set()
    for first, atom in enumerate(atoms):
        start = atom.end - len(text[atom.start : atom.end].lstrip())
        if text[start : start + _HEAD] not in heads:
            continue
        weight = 0
        for last in range(first, len(atoms)):
            weight += atoms[last].weight
            if weight > limit:
                break
            if text[start : ends[last]] in known:
                found.add((first, last + 1))
    return found
