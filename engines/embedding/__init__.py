"""The embedder: texts to unit vectors, by ONNX Runtime or PyTorch, with models that are already on this machine.

`chatbots.quoting`, corpus and chatbots may import it.
"""

from engines.embedding.runtime import Embedder, get_embedder, load_embedder

__all__ = ["Embedder", "get_embedder", "load_embedder"]
