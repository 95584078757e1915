"""Writes a trained reader as one int8 ONNX file: its tokenizer inside, or without its words, which the embedder has."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.reader.network import MAX_QUESTION, MAX_TOKENS
from engines.embedding.models import DEFAULT

LIMITS = {"max_tokens": str(MAX_TOKENS), "max_question": str(MAX_QUESTION)}
METADATA = {"name": "lectern-reader-1/int8", "languages": "en", "marks": '["[CLS]", "[SEP]"]', **LIMITS}
"""`engines.reader.onnx` reads these, and "tokenizer"."""

MULTILINGUAL = {"name": "lectern-reader-2/int8", "languages": "*", "words": DEFAULT, **LIMITS}


def export(network: Any, tokenizer: Any, target: Path) -> None:
    """Trace `network` for one pair of any length, quantise it as `engines.embedding.conversion` does, store `target`.

    `tokenizer` is a tokenizers.Tokenizer.
    """
    ids = torch.tensor([[101, 2054, 102, 2023, 102]])
    kinds = torch.tensor([[0, 0, 0, 1, 1]])
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": kinds}
    _write(network, inputs, {**METADATA, "tokenizer": tokenizer.to_str()}, target)


def export_without_words(network: Any, target: Path) -> None:
    """Do so for a network on the encoder of the default embedding model, whose words are given to it."""

    class Rest(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, words: Any) -> Any:
            return self.network.read(self.network.encoder(inputs_embeds=words).last_hidden_state)

    _write(Rest(), {"words": torch.zeros(1, 5, network.encoder.config.hidden_size)}, MULTILINGUAL, target)


def _write(network: Any, inputs: dict[str, Any], about: dict[str, str], target: Path) -> None:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    network.eval()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        whole, small = Path(folder) / "fp32.onnx", Path(folder) / "int8.onnx"
        torch.onnx.export(
            network,
            tuple(inputs.values()),
            str(whole),
            input_names=list(inputs),
            output_names=["begins", "ends", "answered"],
            dynamic_axes={name: {1: "tokens"} for name in inputs},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(
            whole,
            small,
            op_types_to_quantize=["MatMul", "Gather"],
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            extra_options={"MatMulConstBOnly": True},
        )
        model = onnx.load(str(small))
        for key, value in about.items():
            entry = model.metadata_props.add()
            entry.key, entry.value = key, value
        onnx.save(model, str(target))
