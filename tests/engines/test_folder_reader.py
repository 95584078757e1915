"""Another reader than the packaged one, from a folder."""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings
from tokenizers import Tokenizer

from engines.embedding.models import ANY_LANGUAGE
from engines.reader.calibration import Calibration, store_calibration
from engines.reader.folder import MAX_QUESTION_TOKENS, MAX_TOKENS, load_folder
from engines.reader.loading import SharedReader, get_reader
from engines.reader.reading import Reader, ReaderUnavailable, Reading
from tests.engines.readers import cross_encoder, exported, own_reader, question_answerer

QUESTION = "What did the crowd look for?"
TEXT = "The crowd took the Bastille, looking for gunpowder."
SPANS, LOGIT = ("start_logits", "end_logits"), ("logits",)
ALL_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def answered(reader: Reader, text: str = TEXT) -> float:
    return reader.read(QUESTION, [text])[0].answered


def test_a_folder_with_a_reader_of_our_own(tmp_path: Path) -> None:
    own_reader(tmp_path / "reader.onnx")
    reader = load_folder(tmp_path, 1)
    assert reader.name == "lectern-reader-1/int8"
    assert reader.read(QUESTION, [TEXT])[0].marks


def test_a_model_for_question_answering_marks_the_answer(tmp_path: Path) -> None:
    reader = load_folder(question_answerer(tmp_path / "bert-squad2"), 1)
    assert (reader.name, reader.languages, reader.max_tokens) == ("bert-squad2/torch", ANY_LANGUAGE, MAX_TOKENS)
    assert reader.count_tokens("The crowd took it.") == 5
    (reading,) = reader.read(QUESTION, [TEXT])
    start, end = reading.answer
    assert 0 <= start < end <= len(TEXT)
    assert [TEXT[slice(*place)] for place in reading.offsets[[0, -1]]] == ["The", "."]
    assert reading.begins.sum() == pytest.approx(1)
    assert reading.span == reading.answered


def test_a_cross_encoder_marks_nothing(tmp_path: Path) -> None:
    reader = load_folder(cross_encoder(tmp_path / "ranker"), 1)
    (reading,) = reader.read(QUESTION, [TEXT])
    assert not reading.marks
    assert reading.answer == (0, 0)
    assert reading.answered == reading.span
    assert reader.name == "ranker/torch"


def test_a_cross_encoder_that_sentence_transformers_has_saved(tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    plain = cross_encoder(tmp_path / "plain")
    model = CrossEncoder(str(plain), device="cpu", local_files_only=True)
    model.save(str(tmp_path / "saved"))
    logit = float(model.predict([(QUESTION, TEXT)], activation_fn=_nothing())[0])
    assert answered(load_folder(tmp_path / "saved", 1)) == pytest.approx(logit, abs=1e-4)


def _nothing() -> object:
    from torch.nn import Identity

    return Identity()


@pytest.mark.parametrize("inside", ["", "onnx"])
def test_an_export_reads_as_its_weights_do(tmp_path: Path, inside: str) -> None:
    for make, outputs in ((question_answerer, SPANS), (cross_encoder, LOGIT)):
        folder = make(tmp_path / outputs[0])
        (by_torch,) = load_folder(folder, 1).read(QUESTION, [TEXT])
        exported(folder, outputs, ALL_INPUTS)
        if inside:
            (folder / inside).mkdir()
            (folder / "model.onnx").rename(folder / inside / "model.onnx")
        reader = load_folder(folder, 1)
        (by_onnx,) = reader.read(QUESTION, [TEXT])
        assert reader.name == f"{folder.name}/onnx"
        assert by_onnx.answered == pytest.approx(by_torch.answered, abs=1e-3)
        assert by_onnx.answer == by_torch.answer


def test_an_export_gets_only_the_inputs_that_it_wants(tmp_path: Path) -> None:
    folder = exported(cross_encoder(tmp_path / "ranker"), LOGIT, ("input_ids", "attention_mask"))
    assert np.isfinite(answered(load_folder(folder, 1)))


def test_long_questions_and_texts_are_cut(tmp_path: Path) -> None:
    reader = load_folder(question_answerer(tmp_path / "qa"), 1)
    (reading,) = reader.read("why " * 1000, ["word " * 1000])
    assert len(reading.offsets) == MAX_TOKENS - MAX_QUESTION_TOKENS - 3
    (empty,) = reader.read(QUESTION, [""])
    assert not empty.marks
    assert empty.answered < 0
    assert reader.read(QUESTION, []) == []


def test_the_models_own_limit_counts_if_it_is_lower(tmp_path: Path) -> None:
    folder = question_answerer(tmp_path / "qa")
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 100}', encoding="utf-8")
    reader = load_folder(folder, 1)
    assert reader.max_tokens == 100
    assert len(reader.read(QUESTION, ["word " * 1000])[0].offsets) == 100 - 10
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 1e30}', encoding="utf-8")
    assert load_folder(folder, 1).max_tokens == MAX_TOKENS


def test_marks_of_the_tokenizer_in_a_text_are_words(tmp_path: Path) -> None:
    reader = load_folder(question_answerer(tmp_path / "qa"), 1)
    text = "Before [SEP] after."
    (reading,) = reader.read(QUESTION, [text])
    assert [text[slice(*place)] for place in reading.offsets] == ["Before", "[", "SEP", "]", "after", "."]


def test_tokens_that_begin_with_a_space_have_the_place_of_their_word(tmp_path: Path) -> None:
    from tokenizers import models, pre_tokenizers, processors

    folder = question_answerer(tmp_path / "qa")
    vocabulary = [
        ("<s>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        *((f"▁{word}", -1.0) for word in ("The", "reader", "page")),
    ]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    text = "The reader  page"
    (reading,) = load_folder(folder, 1).read("page", [text])
    words = [text[slice(*place)] for place in reading.offsets]
    assert [word for word in words if word] == ["The", "reader", "page"]


def test_the_languages_are_those_of_the_model_card(tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path / "ranker")
    (folder / "README.md").write_text("---\nlanguage:\n- de\n- fr\n---\n# A ranker\n", encoding="utf-8")
    assert load_folder(folder, 1).languages == {"de", "fr"}
    (folder / "README.md").write_text("---\nlanguage: multilingual\n---\n", encoding="utf-8")
    assert load_folder(folder, 1).languages == {"*"}


def test_the_stored_calibration_is_applied_to_both_logits(tmp_path: Path) -> None:
    for make in (question_answerer, cross_encoder):
        folder = make(tmp_path / make.__name__)
        plain = answered(load_folder(folder, 1))
        store_calibration(folder, Calibration(2.0, -1.0))
        (moved,) = load_folder(folder, 1).read(QUESTION, [TEXT])
        assert moved.answered == moved.span == pytest.approx(2 * plain - 1)
        assert answered(load_folder(folder, 1, Calibration())) == plain


# What cannot be used -----------------------------------------------------------------------------------------


def refused(folder: Path) -> str:
    with pytest.raises(ReaderUnavailable) as error:
        load_folder(folder, 1)
    return str(error.value)


def test_a_folder_that_is_missing_or_empty(tmp_path: Path) -> None:
    assert f"There is no folder {tmp_path / 'away'}" in refused(tmp_path / "away")
    said = refused(tmp_path)
    assert "holds no config.json" in said
    assert "The folder must hold reader.onnx" in said


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = cross_encoder(tmp_path / "ranker")
    (folder / name).unlink()
    assert ("holds no weights" if name == "model.safetensors" else f"holds no {name}") in refused(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors", "reader.onnx", "model.onnx"])
def test_a_damaged_file_is_explained(tmp_path: Path, name: str) -> None:
    folder = cross_encoder(tmp_path / "ranker")
    (folder / name).write_bytes(b"\xff damaged")
    said = refused(folder)
    assert "cannot be used" in said
    assert "Files may be missing or damaged" in said


def test_models_of_other_kinds(tmp_path: Path) -> None:
    labels = cross_encoder(tmp_path / "labels", labels=3)
    assert "gives (1, 3) instead of a single logit" in refused(labels)
    config = json.loads((labels / "config.json").read_text())
    (labels / "config.json").write_text(json.dumps({**config, "architectures": ["BertForMaskedLM"]}))
    assert "is of the kind “BertForMaskedLM”" in refused(labels)
    (labels / "config.json").write_text("[]")
    assert "is no JSON object" in refused(labels)
    vectors = exported(cross_encoder(tmp_path / "vectors"), ("sentence_embedding",))
    assert "gives sentence_embedding; wanted are start_logits and end_logits, or logits" in refused(vectors)


def test_a_tokenizer_that_makes_no_pairs(tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path / "ranker")
    about = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    (folder / "tokenizer.json").write_text(json.dumps({**about, "post_processor": None}), encoding="utf-8")
    assert "does not make one input of a question and a text" in refused(folder)


def test_weights_that_are_no_numbers(tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = cross_encoder(tmp_path / "ranker")
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][:] = np.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert "its weights are damaged" in refused(folder)


# The setting ---------------------------------------------------------------------------------------------------


def test_the_setting_names_the_folder_and_it_is_loaded_once(tmp_path: Path, settings: Settings) -> None:
    settings.LECTERN_READER = str(cross_encoder(tmp_path / "ranker"))
    reader = get_reader()
    assert reader is not None
    assert reader.name == "ranker/torch"
    shutil.rmtree(tmp_path / "ranker")
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
