"""`manage.py reader` says whether a reader fits, and calibrates it."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from corpus.management.commands.reader import advice
from engines.reader.calibration import FILE, Calibration, load_calibration, store_calibration
from engines.reader.folder import load_folder
from engines.reader.trial import Trial, samples, try_reader
from tests.engines.readers import cross_encoder, question_answerer


def reader(*arguments: str | Path) -> str:
    output = StringIO()
    call_command("reader", *map(str, arguments), stdout=output)
    return output.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a cross-encoder with random weights that rates answers a little higher, with or without a change of sign."""
    made = cross_encoder(tmp_path_factory.mktemp("readers") / "ranker")
    if not _rates_answers_higher(made):
        _turn_round(made)
    return made


def _rates_answers_higher(folder: Path) -> bool:
    trial = try_reader(load_folder(folder, 1, Calibration()), samples())
    return sum(trial.answered) > sum(trial.unanswered)


def _turn_round(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    for name in ("classifier.weight", "classifier.bias"):
        weights[name] = -weights[name]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def test_it_prints_what_the_trial_found(folder: Path) -> None:
    said = reader(folder)
    assert "Reader       ranker/torch\nLanguages    any\nSpeed " in said
    assert "ms a passage, 1 thread\nTold apart " in said
    assert "It does not fit: with an AUC below 0.75" in said
    assert not (folder / FILE).exists()


def test_write_stores_a_calibration_of_the_models_own_logits(folder: Path) -> None:
    said = reader(folder, "--write")
    found = load_calibration(folder)
    assert found is not None
    assert f"{found.scale:.3g} × logit {found.offset:+.3g}, written to {folder / FILE}" in said
    reader(folder, "--write")
    assert load_calibration(folder) == found  # not on top of the one before
    (folder / FILE).unlink()


def test_write_replaces_a_calibration_that_is_damaged(folder: Path) -> None:
    (folder / FILE).write_text("{", encoding="utf-8")
    with pytest.raises(CommandError, match="must hold the numbers"):
        reader(folder)
    reader(folder, "--write")
    assert load_calibration(folder) is not None
    (folder / FILE).unlink()


def test_a_model_that_rates_answers_lower_is_not_calibrated(folder: Path) -> None:
    _turn_round(folder)
    store_calibration(folder, Calibration(3, 1))
    try:
        with pytest.raises(CommandError, match="Nothing is written: Passages that answer have no higher logits"):
            reader(folder, "--write")
        assert load_calibration(folder) == Calibration(3, 1)
    finally:
        _turn_round(folder)
        (folder / FILE).unlink()


def test_without_a_folder_it_is_the_reader_of_the_settings(tmp_path: Path, settings: Settings) -> None:
    settings.LECTERN_READER = str(question_answerer(tmp_path / "qa"))
    assert "Reader       qa/torch" in reader()
    settings.LECTERN_READER = "none"
    with pytest.raises(CommandError, match="nothing is read"):
        reader()
    settings.LECTERN_READER = ""
    with pytest.raises(CommandError, match="The packaged reader needs no calibration"):
        reader("--write")


def test_a_folder_that_holds_no_reader(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"holds no config\.json.+The folder must hold"):
        reader(tmp_path)


def test_the_advice(folder: Path) -> None:
    model = load_folder(folder, 1)
    good, slow = Trial((1,), (0,), 20), Trial((1,), (0,), 200)
    assert advice(model, good, folder, calibrated=False).endswith(f"manage.py reader {folder} --write")
    assert f"set LECTERN_READER={folder} and restart" in advice(model, good, folder, calibrated=True)
    assert "leave LECTERN_READER empty" in advice(model, good, None, calibrated=True)
    assert "more than 100 ms a passage is too slow" in advice(model, slow, folder, calibrated=True)
    model.languages = frozenset({"de"})
    assert advice(model, good, folder, calibrated=True).endswith("the AUC says little about it.")
