"""The text of a chunk as the embedder reads it, and vectors of chunks that were cut for another embedder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from corpus.embedding.parallel import embed_in_parallel
from engines.embedding import Embedder


def embedding_text(heading_path: Sequence[str], text: str) -> str:
    """The text to embed for a chunk: its headings on one line, then its text."""
    return " › ".join(heading_path) + "\n" + text.strip() if heading_path else text.strip()


def chunk_vectors(texts: Sequence[tuple[Sequence[str], str]], embedder: Embedder) -> NDArray[np.float32]:
    """Unit vectors of shape (len(texts), dimensions) for pairs of heading path and text.

    A chunk that is too long for this embedder is split; its vector is the normalised mean of the vectors of its parts.
    Raises EmbeddingUnavailable.
    """
    parts = [_parts(heading_path, text, embedder) for heading_path, text in texts]
    vectors = embed_in_parallel(embedder, [text for own in parts for text in own], settings.LECTERN_INDEXING_THREADS)
    ends = np.cumsum([len(own) for own in parts])[:-1]
    means = np.array([own.mean(axis=0) for own in np.split(vectors, ends)], dtype=np.float32)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    return means


def _parts(heading_path: Sequence[str], text: str, embedder: Embedder) -> list[str]:
    """The text to embed, halved at white space until every part fits. Headings that leave no room are left out."""
    whole = embedding_text(heading_path, text)
    if embedder.count_tokens(whole) <= embedder.max_tokens or len(text) < 2:
        return [whole]
    if embedder.count_tokens(embedding_text(heading_path, "")) > embedder.max_tokens // 2:
        return _parts((), text, embedder)
    half = len(text) // 2
    cut = text.rfind(" ", 1, half) + 1 or half
    return _parts(heading_path, text[:cut], embedder) + _parts(heading_path, text[cut:], embedder)
