"""The default embedding model, for real."""

import threading
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from engines.embedding import get_embedder
from engines.embedding.torch import TorchEmbedder
from engines.errors import EmbeddingUnavailable
from tests.engines.models import folder_with

pytestmark = pytest.mark.usefixtures("embedding_anew")

TEXTS = [
    "Plants turn light into chemical energy by photosynthesis.",
    "The French Revolution began in 1789.",
    "Goggles must be worn in the laboratory at all times.",
]


def test_it_names_itself_and_its_limits() -> None:
    embedder = get_embedder()
    assert embedder.name == "multilingual-e5-small/q4i8"
    assert (embedder.dimensions, embedder.max_tokens) == (384, 508)
    assert embedder.languages == {"*"}


def test_a_question_is_nearest_to_the_passage_about_it() -> None:
    embedder = get_embedder()
    questions = [
        "How do leaves make energy?",
        "When did people in Paris revolt?",
        "What is worn in the laboratory?",
    ]
    similarities = np.array([embedder.embed_query(text) for text in questions]) @ embedder.embed_passages(TEXTS).T
    assert similarities.argmax(axis=1).tolist() == [0, 1, 2]


def test_vectors_are_of_unit_length_single_precision_and_in_order() -> None:
    embedder = get_embedder()
    vectors = embedder.embed_passages([*TEXTS, ""])
    assert vectors.shape == (4, 384)
    assert vectors.dtype == embedder.embed_query("x").dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    alone = np.array([embedder.embed_passages([text])[0] for text in TEXTS])
    assert np.abs(vectors[:3] - alone).max() < 1e-5


def test_no_texts_give_no_vectors() -> None:
    assert get_embedder().embed_passages([]).shape == (0, 384)


def test_tokens_are_counted_beyond_the_models_limit() -> None:
    embedder = get_embedder()
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("the cat") == 2
    assert embedder.count_tokens("word " * 1000) == 1000


def test_only_what_goes_beyond_the_limit_is_cut_off() -> None:
    embedder = get_embedder()
    full = "word " * embedder.max_tokens
    fits, last_differs, longer = embedder.embed_passages([full, full[:-5] + "fish", full + "fish " * 50])
    assert np.array_equal(fits, longer)
    assert not np.allclose(fits, last_differs, atol=1e-4)


def test_threads_share_one_embedder_and_get_the_same_vectors(settings: Settings) -> None:
    settings.LECTERN_EMBEDDING_THREADS = 2  # a key not used elsewhere, so that it is created here
    start, found, vectors = threading.Barrier(6), [], []

    def work(number: int) -> None:
        start.wait()
        embedder = get_embedder()
        found.append(embedder)
        for _ in range(3):
            vectors.append(np.concatenate([embedder.embed_passages(TEXTS), [*map(embedder.embed_query, TEXTS)]]))
            embedder.count_tokens("word " * 2000)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len({id(embedder) for embedder in found}) == 1
    assert len(vectors) == 18
    assert all(np.allclose(vectors[0], other, atol=1e-5) for other in vectors)


def test_a_question_is_embedded_once_and_nobody_can_change_it() -> None:
    embedder = get_embedder()
    vector = embedder.embed_query("Why is the sky blue?")
    assert embedder.embed_query("Why is the sky blue?") is vector
    assert embedder.embed_query("Why is the sky red?") is not vector
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


def test_a_model_that_is_not_here_is_not_fetched_but_reported(settings: Settings) -> None:
    for name in ["intfloat/multilingual-e5-small", "no-such-model", "../odd name"]:
        settings.LECTERN_EMBEDDING_MODEL = name
        with pytest.raises(EmbeddingUnavailable, match="is not on this machine") as caught:
            get_embedder()
        assert name in str(caught.value)


def test_a_damaged_model_is_reported(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "damaged", left_out="model.safetensors")
    with pytest.raises(EmbeddingUnavailable, match="cannot be loaded"):
        TorchEmbedder(str(folder), 1)
    (tmp_path / "empty").mkdir()
    with pytest.raises(EmbeddingUnavailable, match="cannot be loaded"):
        TorchEmbedder(str(tmp_path / "empty"), 1)
