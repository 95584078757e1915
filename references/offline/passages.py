"""The passages of articles that answer a question: sections, and windows of long ones, by relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.urls import reverse
from django.utils import timezone

from corpus.embedding.chunk_text import embedding_text
from corpus.passages import Passage, short_id
from corpus.search.scoring import score_texts
from corpus.source_kinds import SourceKind
from corpus.sources import Query
from engines.embedding import Embedder
from engines.embedding.vector_cache import CachingEmbedder
from references.fetching.addresses import MAX_ADDRESS_LENGTH
from references.offline.finding import FoundPage
from references.offline.opened import OpenArchive
from references.offline.pages import PageText, Window
from references.offline.ranking import relevance_among
from text.matching import closeness, coverage
from text.stemming import stems

_SCORED = 10
"""Windows whose relevance is computed: those that look best by their words."""
_MAX_CONTEXT_TOKENS = 1024  # tokens of the text around a passage


@dataclass(frozen=True)
class _Piece:
    found: FoundPage
    number: int  # in its article
    window: Window

    @property
    def headings(self) -> tuple[str, ...]:
        return (self.found.page.title, *self.found.page.sections[self.window.section].heading_path)


def best_passages(
    pages: Sequence[FoundPage], query: Query, limit: int, *, kind: SourceKind, articles: int = 1
) -> list[Passage]:
    """Return at most `limit` passages of these articles, which were chosen from `articles`, the most relevant first.

    Raises engines.errors.EmbeddingUnavailable.
    """
    embedder = CachingEmbedder(query.embedder)
    pages = [found for found in pages if _has_address(found)]
    pieces = [
        _Piece(found, number, window)
        for found in pages
        for number, window in enumerate(found.page.windows(embedder.count_tokens))
    ]
    pieces = _preselected(pieces)
    texts = [embedding_text(piece.headings, piece.window.text) for piece in pieces]
    language = pages[0].archive.language if pages else ""
    scores = score_texts(texts, query.text, language=language, embedder=embedder)
    now = timezone.now()
    passages = [
        _passage(piece, relevance_among(score, articles), embedder, kind, now)
        for piece, score in zip(pieces, scores, strict=True)
    ]
    return sorted(passages, key=lambda passage: (-passage.relevance, passage.key))[:limit]


def _preselected(pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces that look best by their words; of each article the first piece, too, which says what it is about."""

    def by_words(piece: _Piece) -> float:
        words = stems(embedding_text(piece.headings, piece.window.text), piece.found.archive.language)
        weights = piece.found.weights
        return piece.found.probability / 4 + coverage(words, weights) + closeness(words, weights) / 2

    ranked = sorted(pieces, key=lambda piece: (-by_words(piece), piece.found.page.path, piece.number))
    leads = [piece for piece in ranked[_SCORED:] if piece.number == 0][:1]
    return ranked[: _SCORED - len(leads)] + leads


def _passage(piece: _Piece, relevance: float, embedder: Embedder, kind: SourceKind, now: datetime) -> Passage:
    page, archive, window = piece.found.page, piece.found.archive, piece.window
    section = page.sections[window.section]
    return Passage(
        kind=kind,
        document_title=page.title[:200],
        heading_path=section.heading_path,
        excerpt=window.text,
        text=_around(page, window, embedder),
        relevance=relevance,
        score=relevance,
        position=piece.number,
        block=window.section,
        address=reader_address(archive, page.path, section.anchor or "".join(section.heading_path[-1:])),
        external_id=short_id(f"{archive.id}/{page.path}"),
        revision=archive.revision,
        read_at=now,
        language=archive.language,
    )


def reader_address(archive: OpenArchive, path: str, section: str | None = None) -> str:
    """The page of the built-in reader, at a section of this edition if that does not make it too long to be stored.

    `section` is the id or text of its heading, "" before the first one.
    """
    page = reverse("references:read", args=[archive.id, path])
    if section is None:
        return page
    address = f"{page}?section={quote(section, safe='')}&edition={archive.revision}#passage"
    return address if len(address) <= MAX_ADDRESS_LENGTH else page


def _has_address(found: FoundPage) -> bool:
    """Whether the reader can show it, and its address can be stored."""
    path = found.page.path
    return "\n" not in path and len(reader_address(found.archive, path)) <= MAX_ADDRESS_LENGTH


def _around(page: PageText, window: Window, embedder: Embedder) -> str:
    """The section of a window, or as much of it around the window as an answerer reads."""
    text = page.sections[window.section].text
    if embedder.count_tokens(text) <= _MAX_CONTEXT_TOKENS:
        return text
    near = [
        other
        for other in page.windows(embedder.count_tokens)
        if other.section == window.section and abs(other.start - window.start) <= 3 * len(window.text)
    ]
    start, end = window.start, window.end
    for other in sorted(near, key=lambda other: (abs(other.start - window.start), other.start)):
        wider = min(start, other.start), max(end, other.end)
        if embedder.count_tokens(text[slice(*wider)]) > _MAX_CONTEXT_TOKENS:
            break
        start, end = wider
    return text[start:end]
