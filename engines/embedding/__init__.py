"""The embedder: texts to unit vectors, by ONNX Runtime or PyTorch, with models that are already on this machine.

`engines.extractive`, corpus and chatbots import the names below; calibration and models are imported by their modules.
"""

from engines.embedding.runtime import (
    Embedder,
    activate_model,
    create_embedder,
    get_embedder,
    has_active_model,
    load_embedder,
    reset_active_model,
    resolve_runtime,
)

__all__ = [
    "Embedder",
    "activate_model",
    "create_embedder",
    "get_embedder",
    "has_active_model",
    "load_embedder",
    "reset_active_model",
    "resolve_runtime",
]
