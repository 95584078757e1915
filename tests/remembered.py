"""What comes out the same whichever test asks is worked out once a process: the text of a file, a text's vector.

Most tests that index do so with the same two documents. The first time all is as in the worker; what cannot be read is
not remembered, and a file is read anew wherever a test does not ask for `reading_once`. Tests of the embedder itself
have it work each time (`embedding_anew`), in all their threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import PurePath
from typing import IO, Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from corpus.ingestion.parsing import Parsed
from corpus.ingestion.sandbox import runner
from engines.embedding.onnx import OnnxEmbedder

_vectors: WeakKeyDictionary[OnnxEmbedder, dict[str, NDArray[np.float32]]] = WeakKeyDictionary()
_really_embed = OnnxEmbedder._vector
_read: dict[tuple[Any, ...], Parsed] = {}
_really_read = runner.parse_in_sandbox
_on: ContextVar[bool] = ContextVar("reading_once", default=False)
_anew = threading.Event()


@contextmanager
def reading_once() -> Iterator[None]:
    """For documents that a test needs indexed, and not to see them read; in this thread, within this block."""
    token = _on.set(True)
    try:
        yield
    finally:
        _on.reset(token)


@contextmanager
def embedding_anew() -> Iterator[None]:
    """For tests of the embedder: each text goes through the model, whichever thread asks."""
    _anew.set()
    try:
        yield
    finally:
        _anew.clear()


def _remembering(file: IO[bytes], *, filename: str = "", **more: Any) -> Parsed:
    """Reading depends on the file, the ending of its name, and the limits alone."""
    if more or not _on.get():
        return _really_read(file, filename=filename, **more)
    limits = [
        settings.LECTERN_PARSE_SECONDS,
        settings.LECTERN_PARSE_MEMORY_MB,
        settings.LECTERN_MAX_CHARACTERS,
        settings.LECTERN_MAX_PAGES,
    ]
    key = (file.read(), PurePath(filename).suffix, *limits)
    if key not in _read:
        file.seek(0)
        _read[key] = _really_read(file, filename=filename)
    return _read[key]


def _embedding_once(embedder: OnnxEmbedder, text: str) -> NDArray[np.float32]:
    if _anew.is_set():
        return _really_embed(embedder, text)
    known = _vectors.setdefault(embedder, {})
    if text not in known:
        known[text] = _really_embed(embedder, text)
    return known[text].copy()


def install() -> None:
    patch.object(runner, "parse_in_sandbox", _remembering).start()
    patch.object(OnnxEmbedder, "_vector", _embedding_once).start()
