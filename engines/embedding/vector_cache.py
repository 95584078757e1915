"""The vectors of the last short texts of this process: sentences, leads of articles, windows of their sections.

An answer is quoted from sentences that verification compares with it afterwards, and a class asks about one chapter.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.embedding.runtime import Embedder


class PassageCache:
    """The last vectors by embedding model and text. Thread-safe."""

    def __init__(self, kept: int = 8192) -> None:
        self._kept = kept
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def embed(self, texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
        """Return unit vectors of shape (len(texts), dimensions), in the order of `texts`."""
        keys = [hashlib.blake2b(f"{embedder.name}\0{text}".encode(), digest_size=16).digest() for text in texts]
        found = self._found(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        new = dict(zip(missing, embedder.embed_passages([*missing.values()]), strict=True)) if missing else {}
        self._keep(new)
        found |= new
        vectors = [found[key] for key in keys]
        return np.array(vectors, dtype=np.float32).reshape(len(texts), embedder.dimensions)

    def _found(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return found

    def _keep(self, new: dict[bytes, NDArray[np.float32]]) -> None:
        with self._lock:
            self._vectors |= new
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)


class CachingEmbedder:
    """An embedder whose passages are embedded once, as long as they are in the cache of the process."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.max_tokens, self.languages = embedder.max_tokens, embedder.languages
        self._embedder = embedder

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return cache.embed(texts, self._embedder)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)


cache = PassageCache()
