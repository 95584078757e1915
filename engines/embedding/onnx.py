"""Embedding with ONNX Runtime and a tokenizer only, for a model that `export` has converted."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from text.tokens import make_token_counter

NETWORK, PIECES, WORDS = "model.onnx", "sentencepiece.model", "words.onnx"
"""Files of a converted model. Models with PIECES have no tokenizer.json; WORDS, of the default one, looks words up."""


def open_session(file: Path, threads: int) -> Any:
    """Return an InferenceSession on the CPU. Raises the errors of onnxruntime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin while they wait would take the core from the other process.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


class OnnxEmbedder:
    """Embeds on the CPU, one text at a time.

    The int8 model scales its activations by the largest of a batch, padding included, so a text always has the same
    vector only if it is alone. With one or two threads this is no slower.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        """Load what `conversion` or `multilingual` has written into `folder`. Raises the errors of the libraries."""
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        self.name: str = about["name"]
        self.dimensions: int = about["dimensions"]
        self.languages = frozenset(about["languages"])
        self.query_prompt: str = about["query_prompt"]
        self.passage_prompt: str = about["passage_prompt"]
        load = _load_pieces if (folder / PIECES).exists() else _load_tokenizer
        self._tokenize, self.count_tokens = load(folder, about)
        self.max_tokens: int = about["limit"] - len(self._tokenize(self.passage_prompt))
        self._session = open_session(folder / NETWORK, threads)
        self._inputs = {given.name for given in self._session.get_inputs()}
        self.embed_query("warm")

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a unit vector of shape (dimensions,)."""
        return self._vector(self.query_prompt + text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape (len(texts), dimensions), in the order of `texts`."""
        vectors = [self._vector(self.passage_prompt + text) for text in texts]
        return np.array(vectors, dtype=np.float32).reshape(len(texts), self.dimensions)

    def _vector(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenize(text)], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        given = {name: inputs[name] for name in self._inputs}
        vector: NDArray[np.float32] = self._session.run(["vector"], given)[0][0]
        return vector / max(float(np.linalg.norm(vector)), 1e-12)


Tokenize = Callable[[str], list[int]]
"""A text to the ids of its tokens, special tokens included, cut to what the model takes."""


def _load_tokenizer(folder: Path, about: dict[str, Any]) -> tuple[Tokenize, Callable[[str], int]]:
    from tokenizers import Tokenizer

    cutting = Tokenizer.from_file(str(folder / "tokenizer.json"))
    cutting.enable_truncation(about["limit"], direction=about["truncation_side"])
    counting = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return lambda text: list(cutting.encode(text).ids), make_token_counter(counting)


def _load_pieces(folder: Path, about: dict[str, Any]) -> tuple[Tokenize, Callable[[str], int]]:
    """Load the tokenizer of sentencepiece: a fifth of the memory, and six times as fast with 250,000 pieces."""
    from sentencepiece import SentencePieceProcessor

    pieces = SentencePieceProcessor(model_file=str(folder / PIECES))
    first, last, room = pieces.bos_id(), pieces.eos_id(), about["limit"] - 2
    return lambda text: [first, *pieces.encode(text)[:room], last], lambda text: len(pieces.encode(text))
