"""The format of the packaged reader, with a tiny network."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from engines.reader.calibration import Calibration
from engines.reader.onnx import OnnxReader
from engines.reader.reading import NOTHING
from tests.engines.readers import exported, own_reader, question_answerer

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


def test_a_calibration_moves_whether_it_answers_and_not_where(file: Path) -> None:
    (plain,), (moved,) = (OnnxReader(file, 1, one).read(QUESTION, [TEXT]) for one in (None, Calibration(2, -1)))
    assert moved.answered == pytest.approx(2 * plain.answered - 1)
    assert (moved.span, moved.answer) == (plain.span, plain.answer)


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
    folder = exported(question_answerer(tmp_path / "qa"), ("start_logits", "end_logits"))
    with pytest.raises(ValueError, match=r"model\.onnx is no reader: it has no tokenizer inside"):
        OnnxReader(folder / "model.onnx", 1)
