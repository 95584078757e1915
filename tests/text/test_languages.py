"""Telling the language of a text."""

import threading
from concurrent.futures import ThreadPoolExecutor

import py3langid.langid
import pytest

from text import languages


def test_threads_that_come_at_once_load_what_tells_languages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hundred questions after a start would each wait for the others' unpacking."""
    load, loaded = py3langid.langid._load_identifier, []

    def counted() -> object:
        loaded.append(threading.current_thread().name)
        return load()

    monkeypatch.setattr(py3langid.langid, "IDENTIFIER", None)
    monkeypatch.setattr(py3langid.langid, "_load_identifier", counted)
    languages._classifier.cache_clear()
    together = threading.Barrier(8)

    def told(_: int) -> str:
        together.wait()
        return languages.detect_configuration("Die Säure wird mit Wasser verdünnt, bevor sie verwendet wird.")

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(told, range(8))) == {"german"}
    assert len(loaded) == 1
