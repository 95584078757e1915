"""Converts a sentence-transformers model for ONNX Runtime, in a process of its own that `export` starts.

    python -m engines.embedding.conversion MODEL PRECISION FOLDER

Writes model.onnx, tokenizer.json and about.json into FOLDER. The last line on standard error says why it failed.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from engines.embedding.export import ConversionFailed, end_with_parent
from engines.embedding.models import model_folder, model_label, model_languages
from engines.embedding.onnx import NETWORK, OnnxEmbedder
from engines.embedding.torch import TorchEmbedder, backend_tokenizer, load_model
from engines.errors import EmbeddingUnavailable

# Mean cosine to PyTorch's vectors: single precision differs in the last digits; int8 of MiniLM reaches 0.993.
MIN_LIKENESS = {"fp32": 0.9999, "int8": 0.97}
SAMPLES = [
    "What protects my eyes in chemistry?",
    "  Plants turn LIGHT into chemical energy;\nthis is called photosynthesis.  ",
    "In 1789 – after years of hunger – the people of Paris stormed the Bastille. " * 3,
    "Heat flows from the warmer body to the colder one until both have the same temperature. " * 100,
    "x",
]


def main() -> None:
    """Convert the model; exit with 1 and a sentence if it cannot be converted."""
    model, precision, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    end_with_parent()
    warnings.simplefilter("ignore")  # tracing warns of every branch; `_check` finds the ones that matter
    try:
        reference = TorchEmbedder(model, threads=1)
        _describe(model, precision, reference, folder)
        exported = folder / ("fp32.onnx" if precision == "int8" else NETWORK)
        _export(model_folder(model), exported)
        if precision == "int8":
            _quantise(exported, folder / NETWORK)
            exported.unlink()
        _check(reference, OnnxEmbedder(folder, threads=1), MIN_LIKENESS[precision])
    except Exception as error:
        said = (str(error).splitlines() or [""])[0][:200]
        plain = isinstance(error, EmbeddingUnavailable | ConversionFailed)
        sys.exit(said if plain else f"{type(error).__name__}: {said}")


def _describe(model: str, precision: str, embedder: TorchEmbedder, folder: Path) -> None:
    backend_tokenizer(embedder.model).save(str(folder / "tokenizer.json"))
    about = {
        "name": f"{model_label(model)}/{precision}",
        "dimensions": embedder.dimensions,
        "limit": embedder.limit,
        "truncation_side": getattr(embedder.model.tokenizer, "truncation_side", "right"),
        "query_prompt": embedder.query_prompt,
        "passage_prompt": embedder.passage_prompt,
        "languages": sorted(model_languages(model_folder(model))),
    }
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def _export(source: Path, target: Path) -> None:
    """Trace the whole pipeline (network, pooling, what follows) from the token ids of one text to its vector.

    Eager attention instead of PyTorch's fused one: its graph is a fifth faster in ONNX Runtime.
    """
    import torch

    model = load_model(source, model_kwargs={"attn_implementation": "eager"})

    class Pipeline(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            return self.model(features)["sentence_embedding"]

    ids = torch.tensor([model.tokenizer(SAMPLES[0])["input_ids"]])
    with torch.no_grad():
        torch.onnx.export(
            Pipeline().eval(),
            (ids, torch.ones_like(ids)),
            str(target),
            input_names=["input_ids", "attention_mask"],
            output_names=["vector"],
            dynamic_axes={"input_ids": {1: "tokens"}, "attention_mask": {1: "tokens"}},
            opset_version=17,
            dynamo=False,  # the newer exporter needs two more packages
        )


def _quantise(source: Path, target: Path) -> None:
    """Quantise weights to signed int8 with a scale for each channel, and activations dynamically.

    `reduce_range` keeps weights within 7 bits: AVX2 adds pairs of products in 16 bits, which the full range overflows;
    VNNI and ARM add in 32. So the same file gives the same vectors on every processor.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        target,
        op_types_to_quantize=["MatMul", "Gather"],
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        extra_options={"MatMulConstBOnly": True},
    )


def _check(reference: TorchEmbedder, converted: OnnxEmbedder, least: float) -> None:
    expected = np.array([*map(reference.embed_query, SAMPLES), *reference.embed_passages(SAMPLES)])
    found = np.array([*map(converted.embed_query, SAMPLES), *converted.embed_passages(SAMPLES)])
    likeness = float((expected * found).sum(axis=1).mean())
    if not likeness >= least:
        words = f"The converted model’s vectors differ too much from its own (cosine {likeness:.3f})."
        raise ConversionFailed(words)


if __name__ == "__main__":
    main()
