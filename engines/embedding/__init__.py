"""The embedder: texts to unit vectors, by ONNX Runtime or PyTorch, with models that are already on this machine.

`engines.extractive`, corpus and chatbots import the names below; calibration and models are imported by their modules.
"""

from engines.embedding.runtime import (
    Embedder,
    create,
    embedder_of,
    get_embedder,
    in_force,
    put_in_force,
    put_none_in_force,
    resolved,
)

__all__ = [
    "Embedder",
    "create",
    "embedder_of",
    "get_embedder",
    "in_force",
    "put_in_force",
    "put_none_in_force",
    "resolved",
]
