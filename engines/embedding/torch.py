"""Embedding with PyTorch and sentence-transformers: any model, but seconds and 400 MB to import."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engines.embedding.models import model_folder, model_label, model_languages, require_pytorch
from engines.errors import EmbeddingUnavailable

# Texts are padded to the longest of their batch, so on a CPU small batches win: 24 sentences took 0.34 s of one core
# in fours and 0.68 s in the library's thirty-twos; paragraphs of mixed length went from 17 to 24 a second.


class TorchEmbedder:
    """Embeds on the CPU, in single precision, with the model's own prompts for questions and passages."""

    def __init__(self, model: str, threads: int) -> None:
        """Load `model` as `model_folder` finds it. Raises EmbeddingUnavailable."""
        require_pytorch(model, "on PyTorch")
        import torch

        # PyTorch takes every core otherwise; with two processes on two cores a question took 40 times as long.
        torch.set_num_threads(threads)
        folder = model_folder(model)
        self.model = load_model(folder)
        self.name = f"{model_label(model)}/fp32"
        self.dimensions: int = self.model.get_embedding_dimension()
        self.languages = model_languages(folder)
        self._tokenizer = backend_tokenizer(self.model)
        self.query_prompt = _prompt(self.model, "query")
        # Left to itself encode_document takes the empty default prompt "document" and overlooks "passage" (5.7).
        self.passage_prompt = _prompt(self.model, "document", "passage", "corpus")
        # Special tokens and prompt included.
        self.limit = int(min(self.model.max_seq_length or 512, 32_768))  # static embeddings have no limit of their own
        self.max_tokens = self.limit - len(self._tokenizer.encode(self.passage_prompt).ids)
        # The first text changes the tokenizer's cutting and padding, which no two threads may do at once.
        self.embed_query("warm")

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a unit vector of shape (dimensions,)."""
        return cast(NDArray[np.float32], self._vectors(self.model.encode_query, [text], self.query_prompt)[0])

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape (len(texts), dimensions), in the order of `texts`."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return self._vectors(self.model.encode_document, list(texts), self.passage_prompt)

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in the model's tokens, special tokens not counted, however long it is."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _vectors(self, encode: Any, texts: list[str], prompt: str) -> NDArray[np.float32]:
        vectors = encode(texts, prompt=prompt, batch_size=4, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


def load_model(folder: Path, **options: object) -> Any:
    """Return the SentenceTransformer of `folder`. Raises EmbeddingUnavailable when it is not one."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    try:
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True, **options)
    except Exception as error:
        raise EmbeddingUnavailable(
            f"The embedding model “{folder.name}” cannot be loaded from {folder}: files are missing, damaged, "
            "or not of a sentence-transformers model."
        ) from error


def _prompt(model: Any, *kinds: str) -> str:
    return next((str(model.prompts[kind]) for kind in kinds if model.prompts.get(kind)), "")


def backend_tokenizer(model: Any) -> Any:
    """Return a copy of the fast tokenizer that neither cuts nor pads, so that counting never disturbs embedding."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(getattr(model.tokenizer, "backend_tokenizer", model.tokenizer).to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
