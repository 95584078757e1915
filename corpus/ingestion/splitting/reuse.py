"""Pieces of an older version, found again among atoms, so that an update is cut at the same places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from corpus.ingestion.splitting.atoms import Atom

_HEAD = 40  # characters that are compared first; shorter pieces are whole sections, which are cut alike anyway

KnownPiece = tuple[Sequence[str], str]
"""The heading path and text of a piece."""


class KnownPieces:
    """The texts of known pieces under one heading path, without white space at either end."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._heads: set[str] = set()

    def add(self, text: str) -> None:
        """Add the text of a piece."""
        self._texts.add(text.strip())
        self._heads.add(text.strip()[:_HEAD])

    @classmethod
    def by_path(cls, known: Iterable[KnownPiece]) -> Mapping[tuple[str, ...], Self]:
        """Known pieces grouped by heading path."""
        found: defaultdict[tuple[str, ...], Self] = defaultdict(cls)
        for path, text in known:
            found[tuple(path)].add(text)
        return found

    def groups(self, text: str, atoms: Sequence[Atom], *, limit: int) -> set[tuple[int, int]]:
        """The groups of atoms within `limit` whose text is known, as (first, last + 1)."""
        ends = [atom.start + len(text[atom.start : atom.end].rstrip()) for atom in atoms]
        found: set[tuple[int, int]] = set()
        for first, atom in enumerate(atoms):
            start = atom.end - len(text[atom.start : atom.end].lstrip())
            if text[start : start + _HEAD] not in self._heads:
                continue
            weight = 0
            for last in range(first, len(atoms)):
                weight += atoms[last].weight
                if weight > limit:
                    break
                if text[start : ends[last]] in self._texts:
                    found.add((first, last + 1))
        return found
