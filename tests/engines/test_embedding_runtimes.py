"""The same model on PyTorch and on ONNX Runtime: what must be equal, what may differ, and what happens without."""

import json
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from django.conf import settings as configured
from pytest_django import Settings

from engines.embedding.models import SMALL
from engines.embedding.runtime import create_embedder
from engines.embedding.torch import TorchEmbedder
from engines.errors import EmbeddingUnavailable
from tests.engines.models import folder_with

pytestmark = pytest.mark.usefixtures("embedding_anew")
PASSAGES = [
    "Plants turn light into chemical energy by photosynthesis; the green of their leaves is chlorophyll.",
    "The French Revolution began in 1789, when the people of Paris stormed the Bastille.",
    "Goggles must be worn in the laboratory at all times, and long hair is tied back.",
    "A triangle’s angles add up to 180 degrees, however long its sides are.",
    "Macbeth hears from three witches that he shall be king.",
    "Water boils at 100 degrees Celsius at sea level, and at lower temperatures on a mountain.",
]
QUESTIONS = [
    "How do leaves make energy?",
    "When did people in Paris revolt?",
    "What protects my eyes in chemistry?",
    "What is the sum of the angles in a triangle?",
    "Who told Macbeth about his future?",
    "Why does water boil sooner on high mountains?",
]
ODD = ["", "  two  words ", "GRÖSSE, naïve – “日本”", "word " * 254, "word " * 300, "one line\nand another"]


@pytest.fixture(scope="module")
def own_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prompts = json.dumps({"prompts": {"query": "query: ", "passage": "passage: "}})
    card = "---\nlanguage:\n- multilingual\n- de\n---\n"
    files = {"config_sentence_transformers.json": prompts, "README.md": card}
    return folder_with(tmp_path_factory.mktemp("models") / "school-model", **files)


@pytest.fixture(scope="module")
def started_together(own_model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """LECTERN_DATA of an installation where two processes convert `own_model` at once, and what both said.

    Before them a third was killed in the middle of it.
    """
    data = tmp_path_factory.mktemp("data")
    program = (
        "import logging, pathlib, sys; from engines.embedding.export import converted_model; "
        "logging.basicConfig(level='INFO', stream=sys.stdout); "
        "print(converted_model(sys.argv[1], 'fp32', pathlib.Path(sys.argv[2]) / 'models').name)"
    )
    command = [sys.executable, "-c", program, str(own_model), str(data)]

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(command, cwd=configured.BASE_DIR, stdout=subprocess.PIPE, text=True)

    with start() as killed:
        while not (children := psutil.Process(killed.pid).children()):
            time.sleep(0.01)
        killed.kill()
    assert not psutil.wait_procs(children, timeout=120)[1], "the conversion outlived who asked for it"
    assert list(data.glob("models/.*-*"))
    both = [start() for _ in range(2)]
    return data, [process.communicate()[0] for process in both]


def test_of_two_processes_one_converts_and_both_use_it(started_together: tuple[Path, list[str]]) -> None:
    data, said = started_together
    found = {text.splitlines()[-1] for text in said}
    assert len(found) == 1
    assert "".join(said).count("Converting the embedding model") == 1
    target = data / "models" / found.pop()
    assert {path.name for path in target.iterdir()} == {"model.onnx", "tokenizer.json", "about.json"}
    assert {path.name for path in target.parent.iterdir()} == {target.name, f"{target.name}.lock"}


def test_in_single_precision_both_runtimes_agree(
    own_model: Path, started_together: tuple[Path, list[str]], settings: Settings
) -> None:
    settings.LECTERN_MODELS = started_together[0] / "models"
    onnx, torch = create_embedder(str(own_model), "onnx", 1), TorchEmbedder(str(own_model), 1)
    assert onnx.name == torch.name == "school-model/fp32"
    assert onnx.max_tokens == torch.max_tokens == 254 - 2
    assert onnx.languages == torch.languages == {"*"}
    assert onnx.dimensions == torch.dimensions == 384
    for text in [*PASSAGES, *ODD]:
        assert onnx.count_tokens(text) == torch.count_tokens(text)
        assert onnx.embed_query(text) @ torch.embed_query(text) == pytest.approx(1, abs=1e-4)
    vectors = onnx.embed_passages([*PASSAGES, *ODD]), torch.embed_passages([*PASSAGES, *ODD])
    assert (vectors[0] * vectors[1]).sum(axis=1) == pytest.approx(1, abs=1e-4)


def test_prompts_come_before_questions_and_passages(own_model: Path) -> None:
    embedder, plain = TorchEmbedder(str(own_model), 1), TorchEmbedder(SMALL, 1)
    assert embedder.embed_query("cat") == pytest.approx(plain.embed_query("query: cat"), abs=1e-5)
    assert embedder.embed_passages(["cat"])[0] == pytest.approx(plain.embed_query("passage: cat"), abs=1e-5)


def test_int8_finds_the_same_and_is_called_something_else() -> None:
    int8, torch = create_embedder(SMALL, "onnx-int8", 1), create_embedder(SMALL, "torch", 1)
    assert int8.name == "all-MiniLM-L6-v2/int8" != torch.name
    passages = int8.embed_passages(PASSAGES), torch.embed_passages(PASSAGES)
    questions = (
        np.array([int8.embed_query(text) for text in QUESTIONS]),
        np.array([torch.embed_query(text) for text in QUESTIONS]),
    )
    assert (passages[0] * passages[1]).sum(axis=1).mean() >= 0.98
    assert (questions[0] * questions[1]).sum(axis=1).mean() >= 0.98
    nearest = [(q @ p.T).argmax(axis=1).tolist() for q, p in zip(questions, passages, strict=True)]
    assert nearest == [list(range(6))] * 2


def test_once_converted_embedding_needs_no_torch() -> None:
    create_embedder(SMALL, "auto", 1)
    program = (
        "import sys, django; django.setup(); from engines.embedding import load_embedder; "
        f"load_embedder({SMALL!r}, 'auto').embed_query('x'); "
        "print({'torch', 'transformers', 'onnx'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=configured.BASE_DIR, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_a_model_that_cannot_be_converted_runs_on_torch(
    tmp_path: Path, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding

    settings.LECTERN_MODELS = tmp_path / "models"
    tokenizer = TorchEmbedder(SMALL, 1).model.tokenizer.backend_tokenizer
    model = tmp_path / "static"
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu").save(str(model))
    with caplog.at_level(logging.WARNING, "engines"):
        embedder = create_embedder(str(model), "auto", 1)
        assert (embedder.name, embedder.embed_query("cat").shape) == ("static/fp32", (8,))
        said = [record.getMessage() for record in caplog.records if record.name.startswith("engines")]
        assert len(said) == 1
        assert "goes on with PyTorch" in said[0]
    failed = next((tmp_path / "models").glob("*.failed"))
    before = failed.stat().st_mtime_ns
    with pytest.raises(EmbeddingUnavailable, match="LECTERN_EMBEDDING_RUNTIME to torch") as caught:
        create_embedder(str(model), "onnx-int8", 1)
    assert str(failed) in str(caught.value)
    assert failed.stat().st_mtime_ns == before, "what failed is not tried again by every process"


def test_a_damaged_conversion_is_named(
    own_model: Path, started_together: tuple[Path, list[str]], settings: Settings, tmp_path: Path
) -> None:
    settings.LECTERN_MODELS = tmp_path / "models"
    shutil.copytree(started_together[0] / "models", tmp_path / "models")
    damaged = next((tmp_path / "models").glob("*/model.onnx"))
    damaged.write_bytes(b"not a model")
    with pytest.raises(EmbeddingUnavailable, match="To have it made again, delete it") as caught:
        create_embedder(str(own_model), "onnx", 1)
    assert str(damaged.parent) in str(caught.value)


def test_an_unknown_runtime_is_refused_at_start() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=configured.BASE_DIR,
        env={**os.environ, "LECTERN_EMBEDDING_RUNTIME": "fast"},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "must be auto, onnx-int8, onnx or torch, not 'fast'" in done.stderr
