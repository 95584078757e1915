"""The reader of this process, loaded once when it is first needed."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from django.conf import settings

from engines.reader.folder import load_folder
from engines.reader.onnx import OnnxReader
from engines.reader.reading import Reader, ReaderUnavailable

PACKAGED = Path(__file__).resolve().parent / "packaged" / "reader.onnx"
NONE = "none"

logger = logging.getLogger(__name__)

_readers: dict[tuple[str, int], Reader | None] = {}
_loading = threading.Lock()


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
        return load_folder(Path(model), threads) if model else load_packaged(threads)
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
