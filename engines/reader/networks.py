"""The networks of other readers, by ONNX Runtime or PyTorch: arrays of one pair in, logits out."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engines.embedding.onnx import open_session
from engines.pytorch import describe_missing
from engines.reader.reading import ReaderUnavailable

INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
SPAN = ("start_logits", "end_logits")
LOGIT = ("logits",)


class Network(Protocol):
    """Reads one pair. Thread-safe."""

    runtime: str
    inputs: frozenset[str]  # what it wants, some of INPUTS
    outputs: tuple[str, ...]

    def run(self, arrays: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Return the outputs for arrays of shape (1, tokens), of which those not among `inputs` are left out."""


class OnnxNetwork:
    """An export such as that of Optimum or of sentence-transformers."""

    runtime = "onnx"

    def __init__(self, file: Path, threads: int) -> None:
        """Load the file. Raises the errors of onnxruntime."""
        self._session = open_session(file, threads)
        self.inputs = frozenset(one.name for one in self._session.get_inputs())
        self.outputs = tuple(one.name for one in self._session.get_outputs())

    def run(self, arrays: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        found = self._session.run(list(self.outputs), {name: arrays[name] for name in self.inputs})
        return [np.asarray(one, dtype=np.float32) for one in found]


class TorchNetwork:
    """Weights of transformers, which are also those of a CrossEncoder of sentence-transformers."""

    runtime = "torch"

    def __init__(self, folder: Path, *, spans: bool, threads: int) -> None:
        """Load the weights, in single precision, without running code of the folder.

        Raises ReaderUnavailable if these are not installed; the errors of transformers and torch.
        """
        if lacking := describe_missing(f"The reader in {folder}, which is given as weights,"):
            raise ReaderUnavailable(lacking)
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        import torch
        import transformers

        torch.set_num_threads(threads)
        transformers.utils.logging.disable_progress_bar()
        kind = transformers.AutoModelForQuestionAnswering if spans else transformers.AutoModelForSequenceClassification
        self._model = kind.from_pretrained(str(folder), local_files_only=True).float().eval()
        self.inputs = INPUTS & set(inspect.signature(self._model.forward).parameters)
        self.outputs: tuple[str, ...] = SPAN if spans else LOGIT

    def run(self, arrays: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        import torch

        with torch.inference_mode():
            found = self._model(**{name: torch.from_numpy(arrays[name]) for name in self.inputs})
        return [np.asarray(found[name].numpy(), dtype=np.float32) for name in self.outputs]
