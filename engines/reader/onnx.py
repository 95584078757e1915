"""Readers that `benchmarks.reader.train` has written: one ONNX file, its tokenizer inside or that of the embedder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.embedding.models import DEFAULT
from engines.embedding.onnx import PIECES, WORDS, open_session
from engines.embedding.runtime import default_model_folder
from engines.reader.calibration import Calibration
from engines.reader.reading import NOTHING, Reading, best_span, softmax
from text.tokens import make_token_counter

Places = list[tuple[int, int]]


class _OwnTokens:
    """The tokenizer inside the file of a reader."""

    def __init__(self, about: Mapping[str, str]) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_str(about["tokenizer"])
        self._tokenizer.encode_special_tokens = True  # "[SEP]" in a document is text
        marks = [self._tokenizer.token_to_id(mark) for mark in json.loads(about["marks"])]
        self.first, self.last = (mark for mark in marks if mark is not None)
        self.count = make_token_counter(self._tokenizer)

    def encode(self, text: str) -> tuple[list[int], Places]:
        """Return the ids and the characters of each token."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return found.ids, found.offsets

    def prepare(self, ids: NDArray[np.int64], head: int) -> dict[str, NDArray[Any]]:
        """Return what the network takes, for ids of shape (1, tokens), of which `head` are the question's."""
        kinds = np.zeros_like(ids)
        kinds[0, head:] = 1
        return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds}


class _SharedTokens:
    """The tokenizer and the words of the default embedding model, from its folder, whose weights processes share."""

    def __init__(self, folder: Path, threads: int) -> None:
        from sentencepiece import SentencePieceProcessor

        self._pieces = SentencePieceProcessor(model_file=str(folder / PIECES))
        self._words = open_session(folder / WORDS, threads)
        self.first, self.last = self._pieces.bos_id(), self._pieces.eos_id()

    def count(self, text: str) -> int:
        return len(self._pieces.encode(text))

    def encode(self, text: str) -> tuple[list[int], Places]:
        """Return the ids and the characters of each token."""
        return encode_pieces(self._pieces, text)

    def prepare(self, ids: NDArray[np.int64], head: int) -> dict[str, NDArray[Any]]:
        """Return what the network takes: the words of shape (1, tokens, dimensions)."""
        return {"words": self._words.run(["words_of_text"], {"input_ids": ids})[0]}


def encode_pieces(pieces: Any, text: str) -> tuple[list[int], Places]:
    """Return the ids and the characters of each token of a sentencepiece model, which counts bytes."""
    found = pieces.encode(text, return_type="proto").pieces
    places = list(range(len(text) + 1))
    if not text.isascii():
        places = [0] * (len(text.encode()) + 1)
        for place, end in enumerate(accumulate(len(letter.encode()) for letter in text), start=1):
            places[end] = place
    return [one.id for one in found], [(places[one.begin], places[one.end]) for one in found]


class OnnxReader:
    """Reads on the CPU, one text at a time.

    int8 scales its activations by the largest of a batch, padding included, so a text is only read alike if it is
    alone; and four texts in one batch take a fifth to a half longer.
    """

    def __init__(self, file: Path, threads: int, calibration: Calibration | None = None) -> None:
        """Load the file. Raises the errors of onnxruntime; ValueError if it is no reader of ours."""
        self._session = open_session(file, threads)
        about = self._session.get_modelmeta().custom_metadata_map
        if about.get("words") != DEFAULT and "tokenizer" not in about:
            raise ValueError(f"{file.name} is no reader: it has no tokenizer inside.")
        self._tokens = _OwnTokens(about) if "tokenizer" in about else _SharedTokens(default_model_folder(), threads)
        self._calibration = calibration or Calibration()
        self.name = about.get("name", file.stem)
        self.languages = frozenset(about["languages"].split(","))
        self.max_tokens = int(about["max_tokens"])
        self._max_question = int(about["max_question"])
        self.count_tokens = self._tokens.count
        self._head = lru_cache(maxsize=64)(self._encode_question)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        head = self._head(question)
        return [self._read(head, text) for text in texts]

    def _encode_question(self, question: str) -> list[int]:
        asked, _ = self._tokens.encode(question)
        return [self._tokens.first, *asked[: self._max_question], self._tokens.last]

    def _read(self, head: list[int], text: str) -> Reading:
        room = self.max_tokens - len(head) - 1
        tokens, places = self._tokens.encode(text)
        ids = np.array([[*head, *tokens[:room], self._tokens.last]], dtype=np.int64)
        inputs = self._tokens.prepare(ids, len(head))
        begins, ends, answered = self._session.run(["begins", "ends", "answered"], inputs)
        # Of the text only: neither the question nor the last mark can be an answer.
        inside = slice(len(head), ids.shape[1] - 1)
        first, last = begins[0, inside], ends[0, inside]
        offsets = np.array(places[:room], dtype=np.int64).reshape(-1, 2)
        return Reading(
            answered=self._calibration.applied(float(answered[0])),
            span=best_span(first, last) - float(begins[0, 0] + ends[0, 0]) if len(first) else NOTHING,
            offsets=offsets,
            begins=softmax(first),
            ends=softmax(last),
        )
