"""Passages embedded by several threads."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from corpus.embedding.parallel import embed_in_parallel
from engines.embedding import get_embedder
from engines.errors import EmbeddingUnavailable

TEXTS = ["Rivers carry sand.", "Acids " * 60, "", "A lock has two gates.", "Lessons begin at 8:30. " * 9]


class Counting:
    """Vectors that say how long a text is and by which thread it was embedded."""

    dimensions = 2

    def __init__(self, *, together: int) -> None:
        self._together = threading.Barrier(together)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        thread = self._together.wait(120)
        return np.array([[len(text), thread] for text in texts], dtype=np.float32)


@pytest.mark.parametrize("threads", [2, 3, 9])
def test_vectors_come_in_the_order_of_the_texts_from_threads_at_once(threads: int) -> None:
    embedder: Any = Counting(together=min(threads, len(TEXTS)))
    found = embed_in_parallel(embedder, TEXTS, threads)
    assert found[:, 0].tolist() == [len(text) for text in TEXTS]
    assert len(set(found[:, 1])) == min(threads, len(TEXTS))


def test_they_are_the_same_as_of_one_thread() -> None:
    alone = embed_in_parallel(get_embedder(), TEXTS, 1)
    assert np.array_equal(embed_in_parallel(get_embedder(), TEXTS, 2), alone)
    assert embed_in_parallel(get_embedder(), [], 2).shape == (0, get_embedder().dimensions)


def test_an_error_of_one_thread_is_that_of_all() -> None:
    class Failing(Counting):
        def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
            raise EmbeddingUnavailable("It is away.")

    embedder: Any = Failing(together=1)
    with pytest.raises(EmbeddingUnavailable):
        embed_in_parallel(embedder, TEXTS, 2)
