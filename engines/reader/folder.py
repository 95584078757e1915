"""Another reader than the packaged one, from a folder that a school names in LECTERN_READER. Nothing is downloaded.

The folder holds `reader.onnx`, as `benchmarks.reader.train` writes it, or a model for question answering with "no
answer" at token 0, as in SQuAD 2, or a cross-encoder with one logit: as ONNX export or as weights of transformers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.embedding.models import model_languages
from engines.reader.calibration import Calibration, load_calibration
from engines.reader.networks import INPUTS, LOGIT, SPAN, Network, OnnxNetwork, TorchNetwork
from engines.reader.onnx import OnnxReader
from engines.reader.reading import NOTHING, Reader, ReaderUnavailable, Reading, best_span, softmax
from text.tokens import make_token_counter

HOLDS = (
    "The folder must hold reader.onnx, a reader made for Lectern; or config.json, tokenizer.json and either model.onnx "
    "or the weights (model.safetensors) of a transformers model for question answering, or of a cross-encoder with one "
    "label."
)
MAX_TOKENS = 384
"""Of question and text together, as models for SQuAD are trained; longer ones only take more time."""

MAX_QUESTION_TOKENS = 64
"""Tokens of a question; the rest is cut off."""

# Their positions begin at 2.
_POSITIONS_FROM_2 = {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "data2vec-text", "longformer"}


def load_folder(folder: Path, threads: int, calibration: Calibration | None = None) -> Reader:
    """Load the reader in `folder`, with `calibration`, by default the one that is stored there.

    Raises ReaderUnavailable when it holds no model of these kinds, or one that cannot be used.
    """
    if not folder.is_dir():
        raise ReaderUnavailable(f"There is no folder {folder}. Name one in LECTERN_READER, or leave it empty.")
    calibration = calibration or load_calibration(folder)
    try:
        if (folder / "reader.onnx").is_file():
            return OnnxReader(folder / "reader.onnx", threads, calibration)
        return FolderReader(folder, threads, calibration or Calibration())
    except ReaderUnavailable:
        raise
    except Exception as error:
        said = (str(error).splitlines() or [""])[0][:200]
        raise ReaderUnavailable(
            f"The reader in {folder} cannot be used ({type(error).__name__}: {said}). Files may be missing or damaged. "
            f"{HOLDS}"
        ) from error


class FolderReader:
    """Reads on the CPU, one text at a time, with a model for question answering or a cross-encoder.

    Such models have one logit: of the likeliest answer against "no answer", or of relevance. It is calibrated, and
    given as both logits of a reading.
    """

    def __init__(self, folder: Path, threads: int, calibration: Calibration) -> None:
        """Load the folder. Raises ReaderUnavailable; the errors of the libraries."""
        config = _json(folder / "config.json")
        self._network = _network(folder, config, threads)
        self._marks = self._network.outputs == SPAN
        self._calibration = calibration
        self.name = f"{folder.name}/{self._network.runtime}"
        self.languages = model_languages(folder)
        self.max_tokens = _max_tokens(folder, config)
        self._kinds = int(config.get("type_vocab_size", 2))
        whole, self._tokenizer = _tokenizer(folder), _tokenizer(folder)
        # Marks such as [SEP] in a text are words of it.
        whole.encode_special_tokens = self._tokenizer.encode_special_tokens = True
        self._tokenizer.enable_truncation(self.max_tokens, strategy="only_second")
        self._question = whole
        self.count_tokens = make_token_counter(whole)
        self._check(folder)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        asked = self._cut(question)
        return [self._read(asked, text) for text in texts]

    def _cut(self, question: str) -> str:
        """Return the question without what is longer than a third of all tokens, and than MAX_QUESTION_TOKENS."""
        most = min(MAX_QUESTION_TOKENS, self.max_tokens // 3)
        offsets = self._question.encode(question, add_special_tokens=False).offsets
        return question if len(offsets) <= most else question[: offsets[most - 1][1]]

    def _read(self, question: str, text: str) -> Reading:
        pair, outputs = self._run(question, text)
        inside = np.array([part == 1 for part in pair.sequence_ids])
        if not self._marks:
            logit = self._calibration.applied(float(outputs[0].reshape(-1)[0]))
            none = np.zeros(0, dtype=np.float32)
            return Reading(logit, logit, np.zeros((0, 2), dtype=np.int64), none, none)
        begins, ends = outputs[0][0], outputs[1][0]
        null = float(begins[0] + ends[0])
        logit = best_span(begins[inside], ends[inside]) - null if inside.any() else NOTHING
        logit = self._calibration.applied(logit)
        offsets = _trimmed(np.array(pair.offsets, dtype=np.int64)[inside], text)
        return Reading(logit, logit, offsets, softmax(begins[inside]), softmax(ends[inside]))

    def _run(self, question: str, text: str) -> tuple[Any, list[NDArray[np.float32]]]:
        """Return the tokens of a pair and the outputs of the network."""
        pair = self._tokenizer.encode(question, text)
        arrays = {
            "input_ids": np.array([pair.ids], dtype=np.int64),
            "attention_mask": np.ones((1, len(pair.ids)), dtype=np.int64),
            "token_type_ids": np.array([pair.type_ids], dtype=np.int64) * (self._kinds > 1),
        }
        return pair, self._network.run(arrays)

    def _check(self, folder: Path) -> None:
        """Read a pair, so that a model that does something else is found out before it is asked."""
        pair, outputs = self._run("What does the reader read?", "The reader reads a page.")
        if pair.sequence_ids[0] is not None or not {0, 1} <= set(pair.sequence_ids):
            raise ReaderUnavailable(
                f"The tokenizer in {folder} does not make one input of a question and a text, with a mark such as "
                f"[CLS] before them. {HOLDS}"
            )
        shape = (1, len(pair.ids)) if self._marks else (1, 1)
        if any(one.shape != shape for one in outputs):
            found = " and ".join(str(one.shape) for one in outputs)
            wanted = "a logit for each token" if self._marks else "a single logit"
            raise ReaderUnavailable(f"The model in {folder} gives {found} instead of {wanted}. {HOLDS}")
        if not all(np.isfinite(one).all() for one in outputs):
            raise ReaderUnavailable(f"The model in {folder} gives no finite numbers; its weights are damaged.")


def _network(folder: Path, config: dict[str, Any], threads: int) -> Network:
    for file in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
        if file.is_file():
            return _exported(file, threads)
    if not [*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")]:
        raise ReaderUnavailable(f"{folder} holds no weights. {HOLDS}")
    architecture = str((config.get("architectures") or ["unknown"])[0])
    spans = architecture.endswith("ForQuestionAnswering")
    if not spans and not architecture.endswith("ForSequenceClassification"):
        raise ReaderUnavailable(f"The model in {folder} is of the kind “{architecture}”. {HOLDS}")
    return TorchNetwork(folder, spans=spans, threads=threads)


def _exported(file: Path, threads: int) -> OnnxNetwork:
    network = OnnxNetwork(file, threads)
    given = next((kind for kind in (SPAN, LOGIT) if set(kind) <= set(network.outputs)), None)
    if given is None:
        raise ReaderUnavailable(
            f"{file} gives {', '.join(network.outputs)}; wanted are start_logits and end_logits, or logits. {HOLDS}"
        )
    if not network.inputs <= INPUTS:
        raise ReaderUnavailable(f"{file} wants {', '.join(sorted(network.inputs - INPUTS))} as well. {HOLDS}")
    network.outputs = given
    return network


def _tokenizer(folder: Path) -> Any:
    """Return a tokenizer that neither cuts nor pads."""
    from tokenizers import Tokenizer

    file = folder / "tokenizer.json"
    if not file.is_file():
        raise ReaderUnavailable(f"{folder} holds no tokenizer.json. {HOLDS}")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _max_tokens(folder: Path, config: dict[str, Any]) -> int:
    """Return how many tokens a pair may have: no more than the model has positions, or its tokenizer allows."""
    positions = int(config.get("max_position_embeddings") or MAX_TOKENS)
    if config.get("model_type") in _POSITIONS_FROM_2:
        positions -= 2
    about = folder / "tokenizer_config.json"
    allowed = int(_json(about).get("model_max_length") or MAX_TOKENS) if about.is_file() else MAX_TOKENS
    return min(positions if positions > 0 else MAX_TOKENS, allowed, MAX_TOKENS)


def _json(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise ReaderUnavailable(f"{file.parent} holds no {file.name}. {HOLDS}")
    found = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ReaderUnavailable(f"{file} is no JSON object.")
    return found


def _trimmed(offsets: NDArray[np.int64], text: str) -> NDArray[np.int64]:
    """Return the places of tokens without the white space that some tokenizers count to the token after it."""
    for row in offsets:
        while row[0] < row[1] and text[row[0]].isspace():
            row[0] += 1
    return np.maximum.accumulate(offsets, axis=0) if len(offsets) else offsets.reshape(0, 2)
