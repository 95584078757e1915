"""What search hands on: a question, a passage found, and the protocol of whatever can be searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from corpus.source_kinds import SourceKind
from engines.embedding import Embedder
from engines.embedding.calibration import CosineScale, cosine_scale


@dataclass(frozen=True, eq=False)
class Query:
    """A question as it is searched for: its text, its one embedding, (dimensions,) float32 of unit length, and whose
    that is."""

    text: str
    embedding: NDArray[np.float32]
    embedder: Embedder

    @classmethod
    def of(cls, text: str, embedder: Embedder) -> Query:
        """The question as this embedder understands it. Raises engines.errors.EmbeddingUnavailable."""
        return cls(text, embedder.embed_query(text), embedder)

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
class Standing:
    """How a passage stands in the search that found it: its rank, from 1, `among` so many chunks, and what its score
    is made of. `found` and `missing` are words of the question, in its order; function words are neither."""

    rank: int
    among: int
    cosine: float  # as far as the embedder is trusted with the language
    coverage: float
    closeness: float
    quoted: float  # share of the phrases in quotation marks
    found: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Passage:
    """A passage found in one source; plain values, so that it outlives the rows it came from.

    `excerpt` is the chunk that matched, `text` its enclosing block of the section (at most 1024 tokens), which is
    what the answerer reads. `score` is the raw score inside the source, `relevance` its calibrated form in [0, 1].
    """

    kind: SourceKind
    document_title: str
    heading_path: tuple[str, ...]
    excerpt: str
    text: str
    relevance: float
    score: float = 0.0
    document_id: UUID | None = None
    version: int | None = None
    page: int | None = None
    lines: tuple[int, int] | None = None
    position: int = 0
    block: int = 0
    media_type: str = ""  # of the version
    file_path: str = ""  # in a textbook of several files
    label: str = ""  # of a textbook: "Module 1, Chapter 2, Section 3"
    is_recognised: bool = False  # from a scan: it may contain mistakes
    standing: Standing | None = None
    address: str = ""  # of what is no document of ours: a path of this site, or https
    external_id: str = ""  # at most 200 characters
    revision: str = ""
    read_at: datetime | None = None

    @property
    def origin(self) -> str:
        """What it is from: passages of one document or one page have the same."""
        return str(self.document_id or self.external_id or self.address)

    @property
    def key(self) -> tuple[str, str, int]:
        """Orders passages of equal relevance, always the same way."""
        return (self.kind.value, self.origin, self.position)


class Source(Protocol):
    """Something that can be searched. It is built with its scope: nobody can ask it for other rows.

    Whoever inherits from it need not say that it is indexed and has the deadline of the setting.
    """

    is_indexed: bool = True
    """Whether it searches chunks that the installation's embedding model has embedded."""
    deadline_ms: int | None = None
    """How long it is waited for; None for the setting LECTERN_SEARCH_DEADLINE_MS."""

    @property
    def kind(self) -> SourceKind: ...

    def is_empty(self) -> bool:
        """Whether there is nothing to search at all."""
        ...

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        """At most `limit` passages, best first, ties broken by `Passage.key`."""
        ...
