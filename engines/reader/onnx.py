"""The packaged reader: one ONNX file that `benchmarks.reader.train` has written, its tokenizer inside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.reader.reading import LONGEST_ANSWER, Reading
from text.tokens import token_counter


class OnnxReader:
    """Reads on the CPU, one text at a time: int8 scales its activations by the largest of a batch."""

    def __init__(self, file: Path, threads: int) -> None:
        """Load the file. Raises the errors of onnxruntime; ValueError if it is no reader of ours."""
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        about = self._session.get_modelmeta().custom_metadata_map
        if "tokenizer" not in about:
            raise ValueError(f"{file.name} is no reader: it has no tokenizer inside.")
        self.name = about.get("name", file.stem)
        self.languages = frozenset(about["languages"].split(","))
        self.max_tokens = int(about["max_tokens"])
        self._max_question = int(about["max_question"])
        self._tokenizer = Tokenizer.from_str(about["tokenizer"])
        self._first, self._last = (self._tokenizer.token_to_id(mark) for mark in json.loads(about["marks"]))
        self.count_tokens = token_counter(self._tokenizer)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """See `Reader.read`."""
        asked = self._tokenizer.encode(question, add_special_tokens=False).ids[: self._max_question]
        return [self._read([self._first, *asked, self._last], text) for text in texts]

    def _read(self, head: list[int], text: str) -> Reading:
        room = self.max_tokens - len(head) - 1
        encoded = self._tokenizer.encode(text, add_special_tokens=False)
        ids = np.array([[*head, *encoded.ids[:room], self._last]], dtype=np.int64)
        kinds = np.zeros_like(ids)
        kinds[0, len(head) :] = 1
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds}
        begins, ends, answered = self._session.run(["begins", "ends", "answered"], inputs)
        # Of the text only: neither the question nor the last mark can be an answer.
        inside = slice(len(head), ids.shape[1] - 1)
        first, last = begins[0, inside], ends[0, inside]
        offsets = np.array(encoded.offsets[:room], dtype=np.int64).reshape(-1, 2)
        return Reading(
            answered=float(answered[0]),
            span=_best(first, last) - float(begins[0, 0] + ends[0, 0]) if len(first) else -20.0,
            offsets=offsets,
            begins=_shares(first),
            ends=_shares(last),
        )


def _best(begins: NDArray[np.float32], ends: NDArray[np.float32]) -> float:
    """Return the largest sum of a beginning and an end that comes at most LONGEST_ANSWER tokens later."""
    best = -np.inf
    for distance in range(min(LONGEST_ANSWER, len(begins))):
        best = max(best, float((begins[: len(begins) - distance] + ends[distance:]).max()))
    return best


def _shares(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    if not len(logits):
        return logits
    shares: NDArray[np.float32] = np.exp(logits - logits.max())
    return shares / shares.sum()
