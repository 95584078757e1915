"""The packaged reader: one ONNX file that `benchmarks.reader.train` has written, its tokenizer inside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.embedding.onnx import open_session
from engines.reader.calibration import Calibration
from engines.reader.reading import NOTHING, Reading, best_span, softmax
from text.tokens import make_token_counter


class OnnxReader:
    """Reads on the CPU, one text at a time.

    int8 scales its activations by the largest of a batch, padding included, so a text is only read alike if it is
    alone; and four texts in one batch take a fifth to a half longer.
    """

    def __init__(self, file: Path, threads: int, calibration: Calibration | None = None) -> None:
        """Load the file. Raises the errors of onnxruntime; ValueError if it is no reader of ours."""
        from tokenizers import Tokenizer

        self._session = open_session(file, threads)
        about = self._session.get_modelmeta().custom_metadata_map
        if "tokenizer" not in about:
            raise ValueError(f"{file.name} is no reader: it has no tokenizer inside.")
        self._calibration = calibration or Calibration()
        self.name = about.get("name", file.stem)
        self.languages = frozenset(about["languages"].split(","))
        self.max_tokens = int(about["max_tokens"])
        self._max_question = int(about["max_question"])
        self._tokenizer = Tokenizer.from_str(about["tokenizer"])
        self._tokenizer.encode_special_tokens = True  # "[SEP]" in a document is text
        marks = [self._tokenizer.token_to_id(mark) for mark in json.loads(about["marks"])]
        self._first, self._last = (mark for mark in marks if mark is not None)
        self.count_tokens = make_token_counter(self._tokenizer)
        self._head = lru_cache(maxsize=64)(self._encode_question)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        head = self._head(question)
        return [self._read(head, text) for text in texts]

    def _encode_question(self, question: str) -> list[int]:
        asked = self._tokenizer.encode(question, add_special_tokens=False).ids[: self._max_question]
        return [self._first, *asked, self._last]

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
            answered=self._calibration.applied(float(answered[0])),
            span=best_span(first, last) - float(begins[0, 0] + ends[0, 0]) if len(first) else NOTHING,
            offsets=offsets,
            begins=softmax(first),
            ends=softmax(last),
        )
