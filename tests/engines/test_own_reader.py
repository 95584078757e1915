"""The format of readers, with a tiny network, and which one is used."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from pytest_django import Settings

from engines.reader.loading import SharedReader, get_reader
from engines.reader.onnx import OnnxReader
from engines.reader.reading import NOTHING, Reading
from tests.engines.readers import own_reader

QUESTION = "What did the crowd look for?"
TEXT = "The crowd took the Bastille, looking for gunpowder."


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return own_reader(tmp_path_factory.mktemp("reader") / "reader.onnx")


def test_it_names_itself_and_its_limits(file: Path) -> None:
    reader = OnnxReader(file, 1)
    assert (reader.name, reader.languages, reader.max_tokens) == ("lectern-reader-1/int8", frozenset({"en"}), 256)
    assert reader.count_tokens("The crowd took it.") == 5


def test_it_marks_an_answer_in_the_text(file: Path) -> None:
    (reading,) = OnnxReader(file, 1).read(QUESTION, [TEXT])
    start, end = reading.answer
    assert reading.marks
    assert 0 <= start < end <= len(TEXT)
    assert TEXT[slice(*reading.offsets[0])] == "The"
    assert reading.begins.sum() == pytest.approx(1)
    assert reading.ends.sum() == pytest.approx(1)


def test_texts_are_read_alone_and_in_order(file: Path) -> None:
    reader = OnnxReader(file, 1)
    texts = [TEXT, "A short one.", TEXT * 3]
    together = reader.read(QUESTION, texts)
    assert [one.answered for one in together] == [reader.read(QUESTION, [text])[0].answered for text in texts]
    assert reader.read(QUESTION, []) == []


def test_long_questions_and_texts_are_cut(file: Path) -> None:
    (reading,) = OnnxReader(file, 1).read("why " * 1000, ["word " * 1000])
    assert len(reading.offsets) == 256 - 48 - 3
    assert np.isfinite(reading.answered)


def test_an_empty_text_holds_no_answer(file: Path) -> None:
    (reading,) = OnnxReader(file, 1).read(QUESTION, [""])
    assert not reading.marks
    assert reading.span == NOTHING


def test_threads_read_the_same(file: Path) -> None:
    reader = OnnxReader(file, 1)
    texts = [TEXT[n:] for n in range(20)]
    alone = [one.answered for one in reader.read(QUESTION, texts)]
    found: list[list[float]] = []
    threads = [
        threading.Thread(target=lambda: found.append([one.answered for one in reader.read(QUESTION, texts)]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 4


def test_another_onnx_file_is_no_reader(tmp_path: Path) -> None:
    value = helper.make_tensor_value_info("value", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Identity", ["value"], ["same"])], "other", [value], [_like(value)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), tmp_path / "a.onnx")
    with pytest.raises(ValueError, match=r"a\.onnx is no reader: it has no tokenizer inside"):
        OnnxReader(tmp_path / "a.onnx", 1)


def _like(value: Any) -> Any:
    return helper.make_tensor_value_info("same", TensorProto.FLOAT, [1])


def test_the_setting_names_the_folder_and_it_is_loaded_once(tmp_path: Path, file: Path, settings: Settings) -> None:
    settings.LECTERN_READER = str(shutil.copytree(file.parent, tmp_path / "own"))
    reader = get_reader()
    assert reader is not None and reader.name == "lectern-reader-1/int8"
    shutil.rmtree(tmp_path / "own")
    assert get_reader() is reader


def test_none_reads_nothing(settings: Settings) -> None:
    settings.LECTERN_READER = "none"
    assert get_reader() is None


def test_the_log_says_once_why_a_folder_cannot_be_used(
    tmp_path: Path, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LECTERN_READER = str(tmp_path / "away")
    with caplog.at_level(logging.ERROR):
        assert get_reader() is get_reader() is None
    (record,) = caplog.records
    assert record.exc_info is None
    assert record.getMessage().endswith("Passages are ordered by the search alone.")


class Slow:
    """Counts how many read at once, and reads on when `others` are there or have given up."""

    name, languages, max_tokens = "slow", frozenset({"en"}), 256

    def __init__(self, others: threading.Barrier) -> None:
        self._others, self._counting = others, threading.Lock()
        self.now = self.most = 0

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        with self._counting:
            self.now += 1
            self.most = max(self.most, self.now)
        with suppress(threading.BrokenBarrierError):
            self._others.wait(0.2)
        with self._counting:
            self.now -= 1
        return []

    def count_tokens(self, text: str) -> int:
        return len(text)


def test_no_more_read_at_once_than_there_are_slots() -> None:
    slow = Slow(threading.Barrier(3))
    reader = SharedReader(slow, 2)
    assert (reader.name, reader.languages, reader.max_tokens) == ("slow", frozenset({"en"}), 256)
    assert reader.count_tokens("abc") == 3
    threads = [threading.Thread(target=reader.read, args=["?", [""]]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (slow.most, slow.now) == (2, 0)
