"""Embed passages with several threads, as the worker does on cores that nobody else needs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from engines.embedding import Embedder


def embed_in_parallel(embedder: Embedder, texts: Sequence[str], threads: int) -> NDArray[np.float32]:
    """Unit vectors of shape (len(texts), dimensions), in the order of `texts`. Raises EmbeddingUnavailable.

    Each thread gets long and short texts alike, so that all end at about the same time.
    """
    if threads < 2 or len(texts) < 2:
        return embedder.embed_passages(texts)
    longest_first = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
    shares = [longest_first[first::threads] for first in range(min(threads, len(texts)))]
    vectors = np.empty((len(texts), embedder.dimensions), dtype=np.float32)
    with ThreadPoolExecutor(len(shares)) as pool:
        done = pool.map(lambda share: embedder.embed_passages([texts[place] for place in share]), shares)
        for share, found in zip(shares, done, strict=True):
            vectors[share] = found
    return vectors
