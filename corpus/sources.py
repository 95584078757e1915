"""What can be searched: the protocol `Source` that every source implements, and the query it gets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from corpus.passages import Passage
from corpus.source_kinds import SourceKind
from engines.embedding import Embedder
from engines.embedding.cosine_scale import CosineScale, cosine_scale
from text.sections import Purpose, find_purposes_asked


@dataclass(frozen=True, eq=False)
class Query:
    """A question as it is searched for: its text, its one embedding, (dimensions,) float32 of unit length, whose that
    is, and what the text that it asks for may be for."""

    text: str
    embedding: NDArray[np.float32]
    embedder: Embedder
    purposes: tuple[Purpose, ...] = (Purpose.STATES,)

    @classmethod
    def of(cls, question: str, embedder: Embedder) -> Query:
        """The question as this embedder understands it. Raises engines.errors.EmbeddingUnavailable."""
        purposes, text = find_purposes_asked(question)
        return cls(text, embedder.embed_query(text), embedder, purposes)

    @cached_property
    def scale(self) -> CosineScale:
        """What makes the model's cosines those that scores are calibrated for."""
        return cosine_scale(self.embedder)

    @cached_property
    def vector(self) -> HalfVector:
        """The embedding as the database compares it: multiplied by the factor of `scale`."""
        factor = self.scale.factor
        return HalfVector(self.embedding if factor == 1 else factor * self.embedding)


@dataclass(frozen=True)
class Vocabulary:
    """What a source says of doubtful words of a question: those that its texts have, and for the others the words of
    its texts of a similar length, as written, with their counts."""

    known: frozenset[str] = frozenset()
    forms: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class NamedPassages:
    """What was named: its title or heading (empty if it is several documents), how well the words fit it, in (0, 1],
    how many passages it has, those that stand for it, the one that covers most first, and whether it is a section."""

    title: str
    fit: float
    size: int
    passages: tuple[Passage, ...]
    is_section: bool = False


class PageUnavailable(Exception):
    """A page cannot be asked about; the message says why, in words."""


class Source(Protocol):
    """Something that can be searched. It is built with its scope: nobody can ask it for other rows.

    Whoever inherits from it need not say that it is indexed, has the deadline of the setting, no vocabulary and no
    documents with names.
    """

    is_indexed: bool = True
    """Whether it searches chunks that the installation's embedding model has embedded."""
    deadline_ms: int | None = None
    """How long it is waited for; None for the setting LECTERN_SEARCH_DEADLINE_MS."""
    lacks_some: bool = False
    """Whether its last search could not read all that there is."""

    @property
    def kind(self) -> SourceKind: ...

    def is_empty(self) -> bool:
        """Whether there is nothing to search at all."""
        ...

    def languages(self) -> Collection[str]:
        """The languages of its documents as text search configurations. Empty where it has no documents."""
        return ()

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        """At most `limit` passages, best first, ties broken by `Passage.key`."""
        ...

    def prepared(self, query: Query, limit: int) -> Callable[[], Sequence[Passage]]:
        """The same search for a runner (`corpus.search.runners`), which calls it or takes its steps."""
        return partial(self.search, query, limit)

    def vocabulary(self, words: Sequence[str]) -> Vocabulary:
        """Which of these words its texts have, and what the others may be meant for. Only from texts that `search` may
        return: a correction tells them. Empty where that cannot be known."""
        return Vocabulary()

    def named(self, name: str, limit: int, *, model: str, outline: bool = False) -> NamedPassages | None:
        """At most `limit` passages that stand for the document or section that `name` names, for everything if it is
        empty; None if it names nothing. With `outline` they are beginnings of sections. `model` is the name of the
        active embedding model."""
        return None
