"""The embedder of this process: which model is active, for which runtime, loaded once."""

import logging
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from engines.embedding.export import ConversionFailed, converted_model
from engines.embedding.models import DEFAULT, model_label
from engines.embedding.onnx import OnnxEmbedder
from engines.embedding.torch import TorchEmbedder
from engines.errors import EmbeddingUnavailable

logger = logging.getLogger(__name__)


class Embedder(Protocol):
    """An embedding model. Thread-safe."""

    # Stored with each vector, vectors of different names are never compared. "<model>/<precision>": PyTorch and ONNX
    # Runtime agree in single precision to the sixth digit; int8 vectors are of another model.
    name: str
    dimensions: int
    max_tokens: int  # of one passage, special tokens and the model's own prompt deducted; more is cut off
    languages: frozenset[str]  # language codes; {"*"} for many, or when the model does not say

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a unit vector of shape (dimensions,)."""

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape (len(texts), dimensions), in the order of `texts`."""

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in the model's tokens, special tokens not counted, however long it is."""


_embedders: dict[tuple[str, str, int], Embedder] = {}
_creating = threading.Lock()
_active: tuple[str, str] | None = None


def get_embedder() -> Embedder:
    """Return the embedder of the active model of this process: that of the settings unless another was activated.

    Raises EmbeddingUnavailable when the model is not on this machine or not for its runtime.
    """
    model, runtime = _active or (settings.LECTERN_EMBEDDING_MODEL, settings.LECTERN_EMBEDDING_RUNTIME)
    return load_embedder(model, runtime)


def load_embedder(model: str, runtime: str) -> Embedder:
    """Return this process's embedder for a model. It is loaded once, and caches the vectors of the last questions.

    The first call takes half a second, with PyTorch several; the first in an installation some ten seconds.
    Raises EmbeddingUnavailable as `create_embedder` does.
    """
    threads = settings.LECTERN_EMBEDDING_THREADS
    found = _embedders.get((model, runtime, threads))
    if found is None:
        with _creating:
            usual = "onnx-int8" if runtime == "auto" else runtime
            found = _embedders.get((model, usual, threads))
            found = found or _with_cache(create_embedder(model, runtime, threads))
            _embedders[model, runtime, threads] = found
            _embedders[model, resolve_runtime(runtime, found.name), threads] = found
    return found


def resolve_runtime(runtime: str, name: str) -> str:
    """Return the runtime that "auto" stands for with an embedder of this name; any other as it is."""
    if runtime != "auto":
        return runtime
    return "torch" if name.endswith("/fp32") else "onnx-int8"


def has_active_model() -> bool:
    """Return whether a model was activated in this process."""
    return _active is not None


def activate_model(model: str, runtime: str) -> None:
    """Make `get_embedder` return this model's embedder from now on, and forget that of the model before."""
    global _active
    before, _active = _active, (model, runtime)
    if before not in (None, _active):
        known = list(_embedders.items())
        old = [embedder for key, embedder in known if key[:2] == before]
        for key, embedder in known:
            if embedder in old:
                _embedders.pop(key, None)


def create_embedder(model: str, runtime: str, threads: int) -> Embedder:
    """Load `model` for a `runtime`: "torch", "onnx", "onnx-int8", or "auto".

    "auto" is "onnx-int8", or "torch" for a model that cannot be converted. DEFAULT has one precision, whatever the
    runtime. Raises EmbeddingUnavailable.
    """
    is_default = model == DEFAULT
    if runtime == "torch" and not is_default:
        return TorchEmbedder(model, threads)
    try:
        return _converted(model, "fp32" if runtime == "onnx" else "int8", threads)
    except ConversionFailed as error:
        sentence = f"The embedding model {model_label(model)} cannot be made ready for ONNX Runtime. {error}"
        if runtime != "auto" or is_default:
            other = "" if is_default else " Or set LECTERN_EMBEDDING_RUNTIME to torch, which is slower."
            raise EmbeddingUnavailable(f"{sentence}{other}") from error
        logger.warning("%s Lectern goes on with PyTorch, which is slower and needs more memory.", sentence)
        return TorchEmbedder(model, threads)


def default_model_folder() -> Path:
    """Return the folder with the default model, made ready. Raises ConversionFailed; EmbeddingUnavailable."""
    return converted_model(DEFAULT, "int8", settings.LECTERN_MODELS)


def _converted(model: str, precision: str, threads: int) -> Embedder:
    folder = converted_model(model, precision, settings.LECTERN_MODELS)
    try:
        return OnnxEmbedder(folder, threads)
    except Exception as error:
        raise ConversionFailed(
            f"{folder} cannot be used ({error}). To have it made again, delete it and start again."
        ) from error


def _with_cache(embedder: Embedder) -> Embedder:
    """Let an embedder cache the vectors of the last questions, read-only because they are shared."""
    embed = embedder.embed_query

    @lru_cache(maxsize=2048)  # 3 MB of vectors at 384 dimensions
    def embed_query(text: str) -> NDArray[np.float32]:
        vector = embed(text)
        vector.flags.writeable = False
        return vector

    embedder.embed_query = embed_query  # type: ignore[method-assign]
    return embedder
