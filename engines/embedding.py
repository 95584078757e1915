"""The embedder: texts to unit vectors, by a sentence-transformers model that is already on this machine."""

import logging
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from engines.embedding_export import NotConverted, exported
from engines.embedding_models import ANY_LANGUAGE, label_of
from engines.embedding_onnx import OnnxEmbedder
from engines.embedding_torch import TorchEmbedder
from engines.errors import EmbeddingUnavailable

__all__ = ["ANY_LANGUAGE", "Embedder", "create", "get_embedder"]

_QUERIES_KEPT = 2048  # 3 MB of vectors at 384 dimensions

logger = logging.getLogger(__name__)


class Embedder(Protocol):
    """What the rest of the product needs of an embedding model. Safe for use by several threads at once."""

    # Stored with each vector, vectors of different names are never compared. "<model>/<precision>": PyTorch and ONNX
    # Runtime agree in single precision to the sixth digit; int8 vectors are of another model.
    name: str
    dimensions: int
    max_tokens: int  # of one passage, special tokens and the model's own prompt deducted; more is cut off
    languages: frozenset[
        str
    ]  # ISO 639-1 codes the model understands; {"*"} when it knows many or does not say

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a unit vector of shape (dimensions,)."""

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape (len(texts), dimensions), in the order of `texts`."""

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in the model's tokens, special tokens not counted, however long it is."""


_embedders: dict[tuple[str, str, int], Embedder] = {}
_creating = threading.Lock()


def get_embedder() -> Embedder:
    """Return the one warm embedder of this process for the settings in force; it keeps the last questions' vectors.

    The first call takes half a second, once in an installation some ten seconds, and several with PyTorch.
    Raises EmbeddingUnavailable when the model is not on this machine or not for the runtime that is set.
    """
    key = (
        settings.LECTERN_EMBEDDING_MODEL,
        settings.LECTERN_EMBEDDING_RUNTIME,
        settings.LECTERN_EMBEDDING_THREADS,
    )
    if key not in _embedders:
        with _creating:
            if key not in _embedders:
                _embedders[key] = _Remembering(create(*key))
    return _embedders[key]


def create(model: str, runtime: str, threads: int) -> Embedder:
    """Load `model` ("" for the packaged one) for a `runtime`: "torch", "onnx", "onnx-int8", or "auto".

    "auto" is int8, and PyTorch for a model that cannot be converted. Raises EmbeddingUnavailable.
    """
    if runtime == "torch":
        return TorchEmbedder(model, threads)
    try:
        return _converted(model, "fp32" if runtime == "onnx" else "int8", threads)
    except NotConverted as error:
        sentence = f"The embedding model {label_of(model)} cannot be made ready for ONNX Runtime. {error}"
        if runtime != "auto":
            raise EmbeddingUnavailable(
                f"{sentence} Or set LECTERN_EMBEDDING_RUNTIME to torch, which is slower."
            ) from error
        logger.warning("%s Lectern goes on with PyTorch, which is slower and needs more memory.", sentence)
        return TorchEmbedder(model, threads)


def _converted(model: str, precision: str, threads: int) -> Embedder:
    folder = exported(model, precision, settings.LECTERN_MODELS)
    try:
        return OnnxEmbedder(folder, threads)
    except Exception as error:
        raise NotConverted(
            f"{folder} cannot be used ({error}). To have it made again, delete it and start again."
        ) from error


class _Remembering:
    """An embedder that keeps the vectors of the last questions, read-only since they are shared."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.max_tokens, self.languages = embedder.max_tokens, embedder.languages
        self._embedder = embedder
        self._query = lru_cache(maxsize=_QUERIES_KEPT)(self._embedded)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._query(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.embed_passages(texts)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def _embedded(self, text: str) -> NDArray[np.float32]:
        vector = self._embedder.embed_query(text)
        vector.flags.writeable = False
        return vector
