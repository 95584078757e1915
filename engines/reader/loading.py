"""The reader of this process, loaded once when it is first needed."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from engines.reader.folder import load_folder
from engines.reader.onnx import OnnxReader
from engines.reader.reading import Reader, ReaderUnavailable, Reading

PACKAGED = Path(__file__).resolve().parent / "packaged" / "reader.onnx"
NONE = "none"

logger = logging.getLogger(__name__)

_readers: dict[tuple[str, int], Reader | None] = {}
_loading = threading.Lock()


class SharedReader:
    """A reader that reads for so many threads at once: for more than there are cores each would only take longer."""

    def __init__(self, reader: Reader, slots: int) -> None:
        self.name, self.languages, self.max_tokens = reader.name, reader.languages, reader.max_tokens
        self.count_tokens = reader.count_tokens
        self._reader = reader
        self._slots = threading.BoundedSemaphore(slots)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        with self._slots:
            return self._reader.read(question, texts)


def get_reader() -> Reader | None:
    """Return the reader of the setting LECTERN_READER; None if it is "none", or if its model cannot be used.

    Passages are then ordered by the search alone. The reason is logged once.
    """
    key = (settings.LECTERN_READER, settings.LECTERN_EMBEDDING_THREADS)
    if key not in _readers:
        with _loading:
            if key not in _readers:
                _readers[key] = _load(*key)
    return _readers[key]


def _load(model: str, threads: int) -> Reader | None:
    if model == NONE:
        return None
    try:
        reader = load_folder(Path(model), threads) if model else load_packaged(threads)
        return SharedReader(reader, max(1, (os.cpu_count() or 1) // threads))
    except ReaderUnavailable as error:
        logger.error("%s Passages are ordered by the search alone.", error)
    except Exception:
        logger.exception("The reader %s cannot be used: passages are ordered by the search alone.", model or "packaged")
    return None


def load_packaged(threads: int) -> Reader:
    """Load the reader that comes with Lectern. Raises ReaderUnavailable if it is missing; errors of onnxruntime."""
    if not PACKAGED.is_file():
        raise ReaderUnavailable("The packaged reader is missing from this installation.")
    return OnnxReader(PACKAGED, threads)
