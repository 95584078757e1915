"""Sources of the kinds beyond the school, without a network and without files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from corpus.passages import Passage
from corpus.source_kinds import SourceKind
from corpus.sources import Query, Source

ADDRESSES = {
    "approved": "https://safety.example/acids",
    "wikipedia_offline": "/archives/0/Hydrochloric_acid#Safety",
    "wikipedia_live": "https://en.wikipedia.example/w/index.php?oldid=77",
}


class InMemory(Source):
    """Texts of one kind, in memory."""

    is_indexed = False

    def __init__(self, kind: SourceKind, texts: Sequence[str]) -> None:
        self._kind, self.texts = kind, texts

    @property
    def kind(self) -> SourceKind:
        return self._kind

    def is_empty(self) -> bool:
        return not self.texts

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        return [
            Passage(
                kind=self.kind,
                document_title="Hydrochloric acid",
                heading_path=("Safety",),
                excerpt=text,
                text=text,
                relevance=0.8 - number / 10,
                address=ADDRESSES[self.kind.value],
                external_id=f"page-{number}",
                revision="77",
                position=number,
            )
            for number, text in enumerate(self.texts)
        ][:limit]


def in_memory(kind: SourceKind, texts: Sequence[str]) -> Callable[[Any], Source]:
    """What builds a source with these texts for any chatbot."""
    return lambda chatbot: InMemory(kind, texts)
