"""Writes a trained reader as one int8 ONNX file, its tokenizer inside."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.reader.network import MAX_QUESTION, MAX_TOKENS

METADATA = {
    "name": "lectern-reader-1/int8",
    "max_tokens": str(MAX_TOKENS),
    "max_question": str(MAX_QUESTION),
    "languages": "en",
    "marks": '["[CLS]", "[SEP]"]',
}
"""`engines.reader.onnx` reads these, and "tokenizer"."""


def export(network: Any, tokenizer: Any, target: Path) -> None:
    """Trace `network` for one pair of any length, quantise it as `engines.embedding.conversion` does, store `target`.

    `tokenizer` is a tokenizers.Tokenizer.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    ids = torch.tensor([[101, 2054, 102, 2023, 102]])
    kinds = torch.tensor([[0, 0, 0, 1, 1]])
    network.eval()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        whole, small = Path(folder) / "fp32.onnx", Path(folder) / "int8.onnx"
        torch.onnx.export(
            network,
            (ids, torch.ones_like(ids), kinds),
            str(whole),
            input_names=["input_ids", "attention_mask", "token_type_ids"],
            output_names=["begins", "ends", "answered"],
            dynamic_axes={name: {1: "tokens"} for name in ("input_ids", "attention_mask", "token_type_ids")},
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
        for key, value in {**METADATA, "tokenizer": tokenizer.to_str()}.items():
            entry = model.metadata_props.add()
            entry.key, entry.value = key, value
        onnx.save(model, str(target))
